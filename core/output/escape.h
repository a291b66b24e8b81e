/* SPDX-License-Identifier: MIT */
/*
 * Text that came from a file: names, paths, log lines.  Printed through here it cannot drive a
 * terminal, reorder what is around it, or be taken for several words.
 *
 * Sound UTF-8 goes through.  Control characters, bytes that are no UTF-8, and the characters that
 * change the direction of writing become \xNN, one for each byte; a backslash becomes \\, so that
 * the text can be put back.
 */
#ifndef CAIRN_OUTPUT_ESCAPE_H
#define CAIRN_OUTPUT_ESCAPE_H

#include <cairn.h>
#include <stdio.h>

/* How many bytes from the beginning are printable ASCII and neither blank nor backslash. */
size_t escape_plain_prefix(struct cairn_bytes text);

/* Each byte as \xNN. */
void print_escaped(FILE *out, const uint8_t *bytes, size_t size);

/* The most bytes that any of our outputs makes of the text: as words of --lines, as text, or in JSON. */
uint64_t escaped_size(struct cairn_bytes text);

void print_text(FILE *out, struct cairn_bytes text);
void print_string(FILE *out, const char *text);

/* The same between two texts of ours, which are printed as they are. */
void print_text_between(FILE *out, const char *before, struct cairn_bytes text, const char *after);
void print_string_between(FILE *out, const char *before, const char *text, const char *after);

/* The same with blanks written as \x20 and nothing as "-": one word of a --lines record. */
void print_word(FILE *out, struct cairn_bytes text);

#endif
