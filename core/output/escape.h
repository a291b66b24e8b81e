/* SPDX-License-Identifier: MIT */
/*
 * Prints untrusted strings safely: names, paths and log lines that were read from a file. The
 * printed string cannot send control sequences to a terminal, reorder the text around it, or be
 * taken for several words.
 *
 * Valid UTF-8 is printed unchanged. Control characters, invalid bytes and characters that change
 * the writing direction become \xNN, one escape per byte; a backslash becomes \\, so that a reader
 * can undo the escapes.
 */
#ifndef CAIRN_OUTPUT_ESCAPE_H
#define CAIRN_OUTPUT_ESCAPE_H

#include <cairn.h>

#include <stdio.h>

/*
 * Return the length of the prefix that consists of printable ASCII characters other than spaces and
 * backslashes.
 */
size_t escape_plain_prefix(struct cairn_bytes text);

/* Print every byte as \xNN. */
void print_escaped(FILE *out, const uint8_t *bytes, size_t size);

/*
 * Return an upper bound on the size of `text` in any output format: text, words of --lines records,
 * or JSON.
 */
uint64_t escaped_size(struct cairn_bytes text);

void print_text(FILE *out, struct cairn_bytes text);
void print_string(FILE *out, const char *text);

/*
 * Like print_text() and print_string(), but print the trusted strings `before` and `after` around
 * `text`.
 */
void print_text_between(FILE *out, const char *before, struct cairn_bytes text, const char *after);
void print_string_between(FILE *out, const char *before, const char *text, const char *after);

/*
 * Print `text` as one word of a --lines record: escape spaces as \x20, and print "-" if it is
 * empty.
 */
void print_word(FILE *out, struct cairn_bytes text);

enum { DIGITS_MAX = 20 }; /* number of decimal digits in UINT64_MAX */

/*
 * Write `number` in base 10 or 16 so that its last digit directly precedes `end`, and return a
 * pointer to the first digit. The buffer must have DIGITS_MAX bytes before `end`.
 */
static inline char *digits_before(char *end, uint64_t number, unsigned base)
{
	static const char digits[] = "0123456789abcdef";

	do {
		*--end = digits[base == 16 ? number & 15 : number % 10];
		number = base == 16 ? number >> 4 : number / 10;
	} while (number > 0);
	return end;
}

void print_hex(FILE *out, struct cairn_bytes bytes);

/*
 * Like print_hex(), but print "-" if `bytes` is empty, so that every line has the same number of
 * words.
 */
void print_hex_word(FILE *out, struct cairn_bytes bytes);

#endif
