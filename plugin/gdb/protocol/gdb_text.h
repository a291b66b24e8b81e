/* SPDX-License-Identifier: MIT */
/* Text as GDB's commands read it: a word, and the format string of printf. */
#ifndef CAIRN_GDB_PROTOCOL_GDB_TEXT_H
#define CAIRN_GDB_PROTOCOL_GDB_TEXT_H

#include "common/base/text.h"

/* The string as one word of a GDB command that splits words at blanks and takes off quotes. */
void text_word(struct text *text, const char *word);

/* How far text_format() has come in a line; it begins with zeros. */
struct text_part {
	size_t at;        /* the byte of the line that is next */
	size_t arguments; /* that the format of this part has got */
	bool open;        /* a colour */
};

/*
 * Bytes that nobody vouches for, as they may be in the format string of GDB's `printf`: one
 * line, no control character, nothing that printf or a script would take for more than text.
 * Ends after the character with which `most` bytes are there; true: that was the line's last, or
 * the text is cut.  part->arguments is how many arguments the format of this part wants: each is
 * to be the character '$', which a script would take for the begin of its own argument.
 */
bool text_format(struct text *text, const struct text *line, size_t most, struct text_part *part);

#endif
