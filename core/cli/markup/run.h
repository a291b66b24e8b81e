/* SPDX-License-Identifier: MIT */
/* One run of `cairn markup`: what its options ask for, and how far it is. */
#ifndef CAIRN_CLI_MARKUP_RUN_H
#define CAIRN_CLI_MARKUP_RUN_H

#include "markup.h"

#include "split.h"

#include "cli/front/progress.h"

struct run {
	const char *name; /* of the input, for messages */
	struct markup_symbols symbols;
	struct markup_split split;
	struct markup_json json;
	struct markup_dumps dumps;
	const char *style, *colour, *flush, *compat, *dump_path, *pattern;
	enum form form;
	bool strict, interactive, quiet;
	uint64_t looked_at; /* bytes of the log that were searched for frames without markup */
	bool has_frames, has_markup; /* what was found there */
	bool learns;                 /* the log, as it comes, shows where programs have been */
	bool in_blocks;              /* what is written may wait until there is more */
	uint64_t complaints;
	struct allowance printed; /* bytes that may still be written */
	struct progress progress;
	uint64_t size, done; /* of the log in bytes; 0: nobody knows its size */
	bool output_failed;
};

/* The log at `path`, or standard input, through the filter; returns the exit status. */
int markup_filter_file(struct run *run, const char *path);

#endif
