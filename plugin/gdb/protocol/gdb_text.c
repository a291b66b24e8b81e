/* SPDX-License-Identifier: MIT */
/* Writes strings as words of GDB commands, and as format strings of GDB's printf. */
#include "gdb_text.h"

#include <string.h>

#define COLOR_OFF "\\e[m"

void text_word(struct text *text, const char *word)
{
	for (; *word; word++) {
		if (strchr(" \t\"'\\", *word))
			text_add(text, "\\");
		text_bytes(text, word, 1);
	}
}

/* Return the escape sequence for a colour mark, or NULL if the byte is not a mark. */
static const char *find_color_escape(const struct text *line, unsigned char mark)
{
	static const char *const escapes[] = { [COLOR_FUNCTION] = "\\e[33m",
		                               [COLOR_FILE] = "\\e[32m",
		                               [COLOR_ADDRESS] = "\\e[34m",
		                               [COLORS] = COLOR_OFF };
	int color = text_color_mark(line, mark);

	return color < 0 ? NULL : escapes[color];
}

static void format_piece(struct text *text, const char *p, const struct text_piece *piece)
{
	if (*p == '$')
		text_add(text, "%c");
	else if (*p == '%')
		text_add(text, "%%");
	else if (*p == '\\' || *p == '"')
		text_print(text, "\\%c", *p);
	else if (piece->is_shown)
		text_bytes(text, p, piece->size);
	else
		for (size_t i = 0; i < piece->size; i++)
			text_print(text, "\\\\x%02x", (unsigned)(unsigned char)p[i]);
}

/* Format one character, colour mark, or invalid byte. Returns the number of bytes consumed. */
static size_t format_next(struct text *text, const struct text *line, struct text_part *part)
{
	const char *p = line->data + part->at;
	const struct text_piece piece = text_next_piece(p, line->size - part->at);
	const char *color = piece.is_character ? NULL : find_color_escape(line, (unsigned char)*p);

	if (color)
		text_add(text, color);
	else
		format_piece(text, p, &piece);
	part->open = color ? strcmp(color, COLOR_OFF) != 0 : part->open;
	part->arguments += *p == '$';
	return piece.size;
}

bool text_format(struct text *text, const struct text *line, size_t most, struct text_part *part)
{
	size_t begin = text->size;

	part->arguments = 0;
	while (part->at < line->size && text->size - begin < most && !text->cut)
		part->at += format_next(text, line, part);
	if (part->at < line->size && !text->cut)
		return false;
	text_add(text, part->open ? COLOR_OFF : "");
	part->open = false;
	return true;
}
