/* SPDX-License-Identifier: MIT */
/*
 * A cursor over one line, whose functions either consume the item they name or fail without moving;
 * and the readers in tools.c, one for each kind of frame. A reader gets a trimmed line of limited
 * length, and returns false if the line does not contain a frame of its kind.
 */
#ifndef CAIRN_FORMATS_CAPTURED_TEXT_PARTS_H
#define CAIRN_FORMATS_CAPTURED_TEXT_PARTS_H

#include "captured_text.h"

#include <string.h>

struct cursor {
	const uint8_t *at, *end;
};

static inline struct cursor cursor_of(struct cairn_bytes text)
{
	return (struct cursor){ text.data, text.data + text.size };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

static inline struct cairn_bytes captured_between(const uint8_t *from, const uint8_t *to)
{
	return (struct cairn_bytes){ from, (size_t)(to - from) };
}

/* Return the string between `from` and the cursor. */
static inline struct cairn_bytes cursor_since(const struct cursor *c, const uint8_t *from)
{
	return captured_between(from, c->at);
}

static inline bool captured_is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

/* Return the start of the word that ends at `end`. */
const uint8_t *captured_find_word(const uint8_t *from, const uint8_t *end);

/* Skip spaces and tabs. Return their number. */
size_t cursor_blanks(struct cursor *c);

bool cursor_word(struct cursor *c, const char *word);

/* Read one or more digits. Return false also for a number of more than 64 bits. */
bool cursor_decimal(struct cursor *c, uint64_t *number);
bool cursor_digits(struct cursor *c, uint64_t *number); /* hexadecimal without 0x */
bool cursor_hex(struct cursor *c, uint64_t *number);    /* hexadecimal with 0x */

/* Return the first occurrence of `word` at or after the cursor, or NULL. */
const uint8_t *cursor_find(const struct cursor *c, const char *word);

/* Return the last occurrence of `word`, or NULL. */
const uint8_t *cursor_find_last(const struct cursor *c, const char *word);

struct cairn_bytes cursor_id(struct cursor *c);

/* Remove spaces, tabs and carriage returns from the end. */
struct cairn_bytes captured_trim(struct cairn_bytes text);

/* `in` must be at a number sign. */
bool captured_read_numbered(struct captured_text *text, struct cursor in,
                            struct captured_frame *frame);
bool captured_read_glibc(struct cursor in, struct captured_frame *frame);

bool captured_read_valgrind(struct cursor in, struct captured_frame *frame);
bool captured_read_perf(const struct captured_text *text, struct cursor in,
                        struct captured_frame *frame);
bool captured_read_hotspot(const struct captured_text *text, struct cursor in,
                           struct captured_frame *frame);
bool captured_read_node(struct cursor in, struct captured_frame *frame);
bool captured_read_glog(struct cursor in, struct captured_frame *frame);
bool captured_read_boost(struct cursor in, struct captured_frame *frame);
bool captured_read_python(struct cursor in, struct captured_frame *frame);

/* `in` must be at a number sign. */
bool captured_read_android(struct cursor in, struct captured_frame *frame);
bool captured_read_backward(struct cursor in, struct captured_frame *frame);

/*
 * Read a function in the JVM's list that has no location in a module, because it was compiled by
 * the JIT or is interpreted.
 */
bool captured_read_hotspot_function(const struct captured_text *text, struct cursor in,
                                    struct cairn_bytes *name);

/* Read "file:line" or "file:line:column" at the end of the string. */
bool captured_read_source(struct cairn_bytes text, struct captured_frame *frame);

#endif
