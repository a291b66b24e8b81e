/* SPDX-License-Identifier: MIT */
/*
 * Input for the commands markup and open: a file, LENGTH bytes of memory at EXPRESSION, or the
 * memory from EXPRESSION up to a zero byte.
 */
#ifndef CAIRN_COMMON_COMMANDS_MARKUP_H
#define CAIRN_COMMON_COMMANDS_MARKUP_H

#include "common/base/text.h"
#include "common/session/session.h"

#include <cairn.h>

/*
 * Output limits, the same as on the command line. A log can refer to one long name many times, so a
 * short log could otherwise produce unlimited output.
 */
enum {
	MARKUP_SHOWN_TIMES = 64,      /* maximum output as a multiple of the input size */
	MARKUP_SHOWN_LEAST = 1 << 20, /* number of output bytes that are always allowed */
};

struct markup_text {
	struct word_range expression, length_words;
	uint64_t length; /* number of bytes to read; 0 reads up to a zero byte, or the whole file */
	struct text text;
};

/* Command steps that each evaluate one expression. */
enum answer markup_read_length(struct command_call *call, struct markup_text *markup);
enum answer markup_read_text(struct command_call *call, struct markup_text *markup);

/* Write a piece of the log as JSON, with the same members as `cairn markup --json`. */
void markup_json(struct text *text, const struct cairn_markup_fact *fact);

#endif
