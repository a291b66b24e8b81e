/* SPDX-License-Identifier: MIT */
/*
 * A cursor over the text of one line, whose functions either take what they name, or fail and move nothing; and the readers of one
 * kind of frame each in tools.c. These get a line that is trimmed and not too long, and return false if they find no frame of their
 * kind in it.
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

/* What is between `from` and the cursor. */
static inline struct cairn_bytes cursor_since(const struct cursor *c, const uint8_t *from)
{
	return captured_between(from, c->at);
}

static inline bool captured_is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

/* Where the word that ends at `end` begins. */
const uint8_t *captured_find_word(const uint8_t *from, const uint8_t *end);

/* Passes over blanks and tabs; returns how many there were. */
size_t cursor_blanks(struct cursor *c);

bool cursor_word(struct cursor *c, const char *word);

/* Digits, at least one; false also for a number of more than 64 bits. */
bool cursor_decimal(struct cursor *c, uint64_t *number);
bool cursor_digits(struct cursor *c, uint64_t *number); /* hexadecimal, without 0x */
bool cursor_hex(struct cursor *c, uint64_t *number);    /* with 0x */

/* Where `word` is at or after the cursor; NULL: nowhere. */
const uint8_t *cursor_find(const struct cursor *c, const char *word);

/* Where the last `word` is. */
const uint8_t *cursor_find_last(const struct cursor *c, const char *word);

/* Hexadecimal digits, at least one. */
struct cairn_bytes cursor_id(struct cursor *c);

/* Without blanks and carriage returns at its end. */
struct cairn_bytes captured_trim(struct cairn_bytes text);

/* `in` stands at a number sign. */
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

/* `in` stands at a number sign. */
bool captured_read_android(struct cursor in, struct captured_frame *frame);
bool captured_read_backward(struct cursor in, struct captured_frame *frame);

/* A function of the JVM's list that has no place in a module: it was compiled or is interpreted. */
bool captured_read_hotspot_function(const struct captured_text *text, struct cursor in,
                                    struct cairn_bytes *name);

/* "file:line" or "file:line:column" up to the end. */
bool captured_read_source(struct cairn_bytes text, struct captured_frame *frame);

#endif
