/* SPDX-License-Identifier: MIT */
/*
 * Splits a log into processes, each with its own filter. A regular expression finds the process of
 * a line: its first group if it has one, otherwise the whole match. A line that does not match
 * belongs to the process of the line before. Without an expression there is a single process.
 */
#ifndef CAIRN_CLI_MARKUP_SPLIT_H
#define CAIRN_CLI_MARKUP_SPLIT_H

#include "markup.h"

#include <regex.h>

enum {
	SPLIT_PROCESSES = 32,
	SPLIT_KEY = 64,
	SPLIT_HEAD = 4096, /* bytes of a line that are matched */
};

struct split_process {
	struct cairn_markup *markup;
	char key[SPLIT_KEY];
	uint64_t used; /* number of the last line of this process */
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
	uint64_t line;
	bool inside;              /* in the middle of a line whose process is known */
	uint8_t head[SPLIT_HEAD]; /* beginning of an incomplete line */
	size_t held;
};

/*
 * Compile the expression; NULL for none. Return false after printing a diagnostic, like
 * markup_split_open().
 */
bool markup_split_pattern(struct markup_split *split, const char *pattern);
bool markup_split_open(struct markup_split *split);
void markup_split_close(struct markup_split *split);

enum cairn_status markup_split_feed(struct markup_split *split, struct cairn_bytes text);

/* Process an incomplete line now, because no more input is available. */
enum cairn_status markup_split_pause(struct markup_split *split);
enum cairn_status markup_split_finish(struct markup_split *split);

#endif
