/* SPDX-License-Identifier: MIT */
/*
 * Text that grows up to a bound.  When memory is short or the bound is reached it stops growing and
 * remembers: the reader is told that something is missing.
 */
#ifndef CAIRN_GDB_PROTOCOL_TEXT_H
#define CAIRN_GDB_PROTOCOL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT_MAX = 1 << 24 };

struct text {
	char *data; /* ends with a NUL when size > 0 */
	size_t size, room;
	bool cut;
	bool colored; /* text_color() marks what it adds */
};

/* As GDB has them by default. */
enum color { COLOR_FUNCTION, COLOR_FILE, COLOR_ADDRESS };

void text_reset(struct text *text);
void text_finish(struct text *text);

void text_bytes(struct text *text, const char *bytes, size_t size);
void text_add(struct text *text, const char *string);
__attribute__((format(printf, 2, 3))) void text_print(struct text *text, const char *format, ...);

/* The string as one word of a GDB command that splits words at blanks and takes off quotes. */
void text_word(struct text *text, const char *word);

/* The string, coloured if the text is: until text_format() makes escape sequences of that. */
void text_color(struct text *text, enum color color, const char *string);

/* How far text_format() has come in a line; it begins with zeros. */
struct text_part {
	size_t at;        /* the byte of the line that is next */
	size_t arguments; /* that the format of this part has got */
	bool open;        /* a colour */
};

/*
 * Bytes that nobody vouches for, as they may stand in the format string of GDB's `printf`: one
 * line, no control character, nothing that printf or a script would take for more than text.
 * Ends after the character with which `most` bytes are there; true: that was the line's last, or
 * the text is cut.  part->arguments is how many arguments the format of this part wants: each is
 * to be the character '$', which a script would take for the begin of its own argument.
 */
bool text_format(struct text *text, const struct text *line, size_t most, struct text_part *part);

/* The length of the UTF-8 sequence that begins here, 0 when there is none. */
size_t text_measure_utf8(const unsigned char *p, size_t left);

/* Is it a control character?  Those of C1 are encoded in two bytes and act on terminals, too. */
bool text_is_control(const unsigned char *p);

#endif
