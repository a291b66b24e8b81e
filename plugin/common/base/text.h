/* SPDX-License-Identifier: MIT */
/*
 * A growing string with a size limit. If allocation fails or the limit is reached, the string stops
 * growing and `cut` is set.
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
	char *data; /* NUL-terminated if size > 0 */
	size_t size, capacity;
	bool cut;
	bool colored;
};

/* Kinds of coloured strings. They have GDB's default colours. */
enum color { COLOR_FUNCTION, COLOR_FILE, COLOR_ADDRESS, COLORS };

void text_reset(struct text *text);
void text_finish(struct text *text);

void text_bytes(struct text *text, const char *bytes, size_t size);
void text_add(struct text *text, const char *string);
void text_add_hex(struct text *text, struct cairn_bytes bytes);
__attribute__((format(printf, 2, 3))) void text_print(struct text *text, const char *format, ...);

/*
 * Add a string, between colour marks if text->colored. The marks are bytes that cannot occur in
 * UTF-8; text_color_mark() recognizes them so that the printer can turn them into escape sequences.
 */
void text_color(struct text *text, enum color color, const char *string);

/*
 * Return the colour that the mark `byte` switches on, COLORS for the mark that switches it off, or
 * -1 if the byte is not a mark.
 */
int text_color_mark(const struct text *text, unsigned char byte);

/* A UTF-8 character or an invalid byte. It must be escaped if `is_shown` is false. */
struct text_piece {
	size_t size;
	bool is_character, is_shown;
	uint32_t character;
};

/* Return the first character or invalid byte in a string of `left` bytes; `left` is not 0. */
struct text_piece text_next_piece(const char *bytes, size_t left);

/*
 * Run a cleanup function at the end of a local variable's scope, even if an exception thrown by the
 * debugger unwinds through the function.
 */
#define CLEANUP(finish) __attribute__((cleanup(finish)))

#ifdef __cplusplus
}
#endif

#endif
