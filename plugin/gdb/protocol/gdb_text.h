/* SPDX-License-Identifier: MIT */
/* Quoting of strings for GDB commands: as a word, and in the format string of printf. */
#ifndef CAIRN_GDB_PROTOCOL_GDB_TEXT_H
#define CAIRN_GDB_PROTOCOL_GDB_TEXT_H

#include "common/base/text.h"

/* Add the string as one word of a GDB command that splits words at blanks and removes quotes. */
void text_word(struct text *text, const char *word);

/* Position of text_format() in a line. Zero-initialize it. */
struct text_part {
	size_t at;
	size_t arguments; /* number of arguments that the format of this part needs */
	bool open;        /* a colour is switched on */
};

/*
 * Add part of a line of untrusted bytes in a form that is safe in the format string of GDB's
 * `printf`: one line, without control characters, and without anything that printf or a script
 * would interpret. Stops after the character with which `most` bytes are reached. Returns true if
 * the line is finished, or the text is truncated. part->arguments is the number of arguments for
 * the format of this part. Each argument must be the character '$', which in the format itself
 * would be taken for an argument of the script.
 */
bool text_format(struct text *text, const struct text *line, size_t most, struct text_part *part);

#endif
