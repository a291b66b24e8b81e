/* SPDX-License-Identifier: MIT */
/* Appends formatted and coloured text to a bounded buffer. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 4096 };

void text_reset(struct text *text)
{
	text->size = 0;
	text->cut = false;
}

void text_finish(struct text *text)
{
	free(text->data);
	*text = (struct text){ .data = NULL };
}

static bool grow_text(struct text *text, size_t more)
{
	size_t room = text->room ? text->room : FIRST_ROOM;

	if (more > TEXT_MAX - text->size)
		return false;
	while (room < text->size + more + 1)
		room *= 2;
	if (room == text->room)
		return true;
	char *grown = realloc(text->data, room);
	if (!grown)
		return false;
	text->data = grown;
	text->room = room;
	return true;
}

void text_bytes(struct text *text, const char *bytes, size_t size)
{
	if (text->cut || !grow_text(text, size)) {
		text->cut = true;
		return;
	}
	memcpy(text->data + text->size, bytes, size);
	text->size += size;
	text->data[text->size] = '\0';
}

void text_add(struct text *text, const char *string)
{
	text_bytes(text, string, strlen(string));
}

void text_print(struct text *text, const char *format, ...)
{
	char line[512];
	va_list arguments;

	va_start(arguments, format);
	int size = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (size < 0 || (size_t)size >= sizeof(line))
		text->cut = true;
	else
		text_bytes(text, line, (size_t)size);
}

size_t text_measure_utf8(const unsigned char *p, size_t left)
{
	size_t length = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;

	if (p[0] >= 0x80 && (p[0] < 0xc2 || p[0] > 0xf4))
		return 0;
	if (length > left)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	bool overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
	bool outside = (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf4 && p[1] > 0x8f);
	return overlong || outside ? 0 : length;
}

bool text_is_control(const unsigned char *p)
{
	return p[0] < 0x20 || p[0] == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0);
}

/*
 * Bytes that no UTF-8 has stand for the begin of a colour, and for the end of any.  A name may hold
 * them, too: in coloured text it then shines in another colour, up to the end of its line.
 */
enum { COLOR_MARK = 0xf8, COLOR_END = 0xff };

void text_color(struct text *text, enum color color, const char *string)
{
	const char begin = (char)(COLOR_MARK + color), end = (char)COLOR_END;

	text_bytes(text, &begin, text->colored);
	text_add(text, string);
	text_bytes(text, &end, text->colored);
}

int text_color_mark(const struct text *text, unsigned char byte)
{
	if (!text->colored || byte < COLOR_MARK)
		return -1;
	return byte - COLOR_MARK < COLORS ? byte - COLOR_MARK : COLORS;
}
