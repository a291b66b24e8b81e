/* SPDX-License-Identifier: MIT */
/* Appends formatted, escaped, coloured and JSON text to a bounded buffer. */
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

void text_word(struct text *text, const char *word)
{
	for (; *word; word++) {
		if (strchr(" \t\"'\\", *word))
			text_add(text, "\\");
		text_bytes(text, word, 1);
	}
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

/* The escape sequence that a mark stands for; NULL: it is none. */
static const char *find_color_escape(const struct text *line, unsigned char mark)
{
	static const char *const begin[] = { "\\e[33m", "\\e[32m", "\\e[34m" };

	if (!line->colored || mark < COLOR_MARK)
		return NULL;
	return mark - COLOR_MARK < 3 ? begin[mark - COLOR_MARK] : "\\e[m";
}

static void format_one(struct text *text, const unsigned char *p, size_t length)
{
	if (*p == '$')
		text_add(text, "%c");
	else if (*p == '%')
		text_add(text, "%%");
	else if (*p == '\\' || *p == '"')
		text_print(text, "\\%c", *p);
	else if (text_is_control(p))
		for (size_t i = 0; i < length; i++)
			text_print(text, "\\\\x%02x", (unsigned)p[i]);
	else
		text_bytes(text, (const char *)p, length);
}

/* One character, mark of a colour, or byte that no UTF-8 has; how many bytes of the line it was. */
static size_t format_next(struct text *text, const struct text *line, struct text_part *part)
{
	const unsigned char *p = (const unsigned char *)line->data + part->at;
	size_t length = text_measure_utf8(p, line->size - part->at);
	const char *color = length ? NULL : find_color_escape(line, *p);

	if (length)
		format_one(text, p, length);
	else if (color)
		text_add(text, color);
	else
		text_print(text, "\\\\x%02x", (unsigned)*p);
	part->open = color ? *p != COLOR_END : part->open;
	part->arguments += *p == '$';
	return length ? length : 1;
}

bool text_format(struct text *text, const struct text *line, size_t most, struct text_part *part)
{
	size_t begin = text->size;

	part->arguments = 0;
	while (part->at < line->size && text->size - begin < most && !text->cut)
		part->at += format_next(text, line, part);
	if (part->at < line->size && !text->cut)
		return false;
	text_add(text, part->open ? "\\e[m" : "");
	part->open = false;
	return true;
}
