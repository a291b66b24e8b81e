/* SPDX-License-Identifier: MIT */
/*
 * Text that grows up to a bound.  When memory is short or the bound is reached it stops growing and
 * remembers: its end reports that something is missing.
 */
#ifndef CAIRN_COMMON_BASE_TEXT_H
#define CAIRN_COMMON_BASE_TEXT_H

#include <cairn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TEXT_MAX = 1 << 24 };

struct text {
	char *data; /* ends with a NUL when size > 0 */
	size_t size, room;
	bool cut;
	bool colored; /* text_color() marks what it adds */
};

/* As GDB has them by default. */
enum color { COLOR_FUNCTION, COLOR_FILE, COLOR_ADDRESS, COLORS };

void text_reset(struct text *text);
void text_finish(struct text *text);

void text_bytes(struct text *text, const char *bytes, size_t size);
void text_add(struct text *text, const char *string);
/* Adds two digits for each byte, as build IDs are written. */
void text_add_hex(struct text *text, struct cairn_bytes bytes);
__attribute__((format(printf, 2, 3))) void text_print(struct text *text, const char *format, ...);

/*
 * The string, coloured if the text is: bytes that UTF-8 does not have mark where the colour begins and
 * ends.  Whoever shows the text makes escape sequences of them, by text_color_mark().
 */
void text_color(struct text *text, enum color color, const char *string);

/* The colour that a byte which is not UTF-8 begins; COLORS where one ends, -1: not a mark. */
int text_color_mark(const struct text *text, unsigned char byte);

/*
 * One character of a text, or one byte that is none: `size` bytes, which may be shown as they are or have to be
 * escaped.
 */
struct text_piece {
	size_t size;
	bool is_character, is_shown;
	uint32_t character;
};

/* At the beginning of `left` bytes, which are at least one. */
struct text_piece text_next_piece(const char *bytes, size_t left);

#ifdef __cplusplus
}
#endif

#endif
