/* SPDX-License-Identifier: MIT */
/*
 * A log of several processes, each with a filter of its own.  A line belongs to the process that a
 * regular expression finds in it, by its first group if it has one; a line without belongs to the
 * process of the line before.  Without an expression there is one process.
 */
#ifndef CAIRN_CLI_MARKUP_SPLIT_H
#define CAIRN_CLI_MARKUP_SPLIT_H

#include "markup.h"

#include <regex.h>

enum {
	SPLIT_PROCESSES = 32,
	SPLIT_KEY = 64,
	SPLIT_HEAD = 4096, /* bytes of a line that the expression sees */
};

struct split_process {
	struct cairn_markup *markup;
	char key[SPLIT_KEY];
	uint64_t used; /* number of the line that it had last */
};

struct markup_split {
	const struct cairn_markup_options *options;
	const struct cairn_markup_host *host;
	const struct markup_observer *observer;
	struct markup_symbols *symbols;
	bool has_pattern;
	regex_t pattern;
	struct split_process process[SPLIT_PROCESSES];
	size_t count, current;
	uint64_t line;            /* complete lines so far */
	bool inside;              /* of a line, whose process is chosen */
	uint8_t head[SPLIT_HEAD]; /* of a line that has not come whole */
	size_t held;
};

/* NULL: no expression.  False after a complaint, as is the next one. */
bool markup_split_pattern(struct markup_split *split, const char *pattern);
bool markup_split_open(struct markup_split *split);
void markup_split_close(struct markup_split *split);

enum cairn_status markup_split_feed(struct markup_split *split, struct cairn_bytes text);

/* No more text is there for now: also the process of an unfinished line is chosen then. */
enum cairn_status markup_split_pause(struct markup_split *split);
enum cairn_status markup_split_finish(struct markup_split *split);

#endif
