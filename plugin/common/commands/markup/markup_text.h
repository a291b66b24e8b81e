/* SPDX-License-Identifier: MIT */
/*
 * The text that the commands markup and open are about: of memory, EXPRESSION and LENGTH or up to a zero byte,
 * or of a file.
 */
#ifndef CAIRN_COMMON_COMMANDS_MARKUP_MARKUP_TEXT_H
#define CAIRN_COMMON_COMMANDS_MARKUP_MARKUP_TEXT_H

#include "common/session/session.h"

/* What is shown of a text: names are shared, so that a short text may ask for any amount.  As on the command line. */
enum {
	MARKUP_SHOWN_TIMES = 64,      /* times the text */
	MARKUP_SHOWN_LEAST = 1 << 20, /* bytes, of short texts */
};

struct markup_text {
	struct word_range expression, length_words;
	uint64_t length; /* bytes; 0: up to a zero byte, or of the whole file */
	struct text text;
};

/* Two steps of the command: each asks for one value. */
enum answer markup_read_length(struct command_call *call, struct markup_text *markup);
enum answer markup_read_text(struct command_call *call, struct markup_text *markup);

#endif
