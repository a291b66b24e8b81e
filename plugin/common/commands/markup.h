/* SPDX-License-Identifier: MIT */
/*
 * Input text of the commands markup and open. It comes from a file or from memory: EXPRESSION and
 * LENGTH, or EXPRESSION up to a zero byte.
 */
#ifndef CAIRN_COMMON_COMMANDS_MARKUP_H
#define CAIRN_COMMON_COMMANDS_MARKUP_H

#include "common/base/text.h"
#include "common/session/session.h"

#include <cairn.h>

/*
 * Limits on the output. Names are shared, so a short text could produce any amount of output. The
 * command line has the same limits.
 */
enum {
	MARKUP_SHOWN_TIMES = 64,      /* multiple of the size of the text */
	MARKUP_SHOWN_LEAST = 1 << 20, /* bytes that are always allowed */
};

struct markup_text {
	struct word_range expression, length_words;
	uint64_t length; /* bytes; 0 reads up to a zero byte, or the whole file */
	struct text text;
};

/* Command steps; each evaluates one expression. */
enum answer markup_read_length(struct command_call *call, struct markup_text *markup);
enum answer markup_read_text(struct command_call *call, struct markup_text *markup);

/* Write the fact with the same members as `cairn markup --json`. */
void markup_json(struct text *text, const struct cairn_markup_fact *fact);

#endif
