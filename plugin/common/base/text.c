/* SPDX-License-Identifier: MIT */
/* Appends formatted and coloured strings to a growing string with a size limit. */
#include "text.h"

#include <cairn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 4096 };

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
	size_t capacity = text->capacity ? text->capacity : FIRST_CAPACITY;

	if (more > TEXT_MAX - text->size)
		return false;
	while (capacity < text->size + more + 1)
		capacity *= 2;
	if (capacity == text->capacity)
		return true;
	char *grown = realloc(text->data, capacity);
	if (!grown)
		return false;
	text->data = grown;
	text->capacity = capacity;
	return true;
}

void text_bytes(struct text *text, const char *bytes, size_t size)
{
	if (text->cut || !grow_text(text, size)) {
		text->cut = true;
		return;
	}
	if (size > 0)
		memcpy(text->data + text->size, bytes, size);
	text->size += size;
	text->data[text->size] = '\0';
}

void text_add(struct text *text, const char *string)
{
	text_bytes(text, string, strlen(string));
}

void text_add_hex(struct text *text, struct cairn_bytes bytes)
{
	for (size_t i = 0; i < bytes.size; i++)
		text_print(text, "%02x", bytes.data[i]);
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

struct text_piece text_next_piece(const char *bytes, size_t left)
{
	struct text_piece piece = { .size = 1 };
	size_t size = cairn_character_at((struct cairn_bytes){ (const uint8_t *)bytes, left },
	                                 &piece.character);

	if (size == 0)
		return piece;
	piece.size = size;
	piece.is_character = true;
	piece.is_shown = cairn_character_is_printable(piece.character);
	return piece;
}

/*
 * Colour marks are bytes that cannot occur in UTF-8: COLOR_MARK plus a colour switches the colour
 * on, and COLOR_END switches it off. If a name from a file contains such bytes, part of the line
 * gets a wrong colour. This is harmless, because each line ends with the default colour.
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
