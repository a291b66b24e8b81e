/* SPDX-License-Identifier: MIT */
/*
 * Text that grows up to a bound.  When memory is short or the bound is reached it stops growing and
 * remembers: its end reports that something is missing.
 */
#ifndef CAIRN_COMMON_BASE_TEXT_H
#define CAIRN_COMMON_BASE_TEXT_H

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
__attribute__((format(printf, 2, 3))) void text_print(struct text *text, const char *format, ...);

/*
 * The string, coloured if the text is: bytes that UTF-8 does not have mark where the colour begins and
 * ends.  Whoever shows the text makes escape sequences of them, by text_color_mark().
 */
void text_color(struct text *text, enum color color, const char *string);

/* Of a byte that is not UTF-8: the colour that it begins, COLORS where one ends, -1: not a mark. */
int text_color_mark(const struct text *text, unsigned char byte);

/* The length of the UTF-8 sequence that begins here, 0 when there is none. */
size_t text_measure_utf8(const unsigned char *p, size_t left);

/* Is it a control character?  Those of C1 are encoded in two bytes and act on terminals, too. */
bool text_is_control(const unsigned char *p);

#ifdef __cplusplus
}
#endif

#endif
