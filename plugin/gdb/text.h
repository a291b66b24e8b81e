/* SPDX-License-Identifier: MIT */
/*
 * Text that grows up to a bound.  When memory is short or the bound is reached it stops growing and
 * remembers: the reader is told that something is missing.
 */
#ifndef CAIRN_GDB_TEXT_H
#define CAIRN_GDB_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT_MAX = 1 << 24 };

struct text {
	char *data; /* ends with a NUL when size > 0 */
	size_t size, room;
	bool cut;
};

void text_reset(struct text *text);
void text_finish(struct text *text);

void text_bytes(struct text *text, const char *bytes, size_t size);
void text_add(struct text *text, const char *string);
__attribute__((format(printf, 2, 3))) void text_print(struct text *text, const char *format, ...);

/*
 * Bytes that nobody vouches for, as they may stand behind GDB's `echo`: one line, no control
 * character, nothing that echo or a script would take for more than text.
 */
void text_echo(struct text *text, const char *bytes, size_t size);

/* A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD. */
void text_json(struct text *text, const char *string);

#endif
