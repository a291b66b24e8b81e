/* SPDX-License-Identifier: MIT */
/* State of one run of `cairn markup`. */
#ifndef CAIRN_CLI_MARKUP_RUN_H
#define CAIRN_CLI_MARKUP_RUN_H

#include "markup.h"

#include "split.h"

#include "cli/front/progress.h"

struct run {
	const char *name;
	struct markup_symbols symbols;
	struct markup_split split;
	struct markup_json json;
	struct markup_dumps dumps;
	const char *style, *colour, *flush, *compat, *dump_path, *pattern;
	enum form form;
	bool strict, interactive, quiet;
	uint64_t looked_at; /* bytes of the log that were searched for frames without markup */
	bool has_frames, has_markup; /* the result of that search */
	bool learns;                 /* infer load addresses from the log while it is read */
	bool in_blocks;              /* output may be buffered in blocks */
	uint64_t complaints;
	struct allowance printed;
	struct progress progress;
	uint64_t size, done; /* bytes of the log; `size` is 0 if unknown */
	bool output_failed;
};

/* Filter the log at `path`, or standard input if it is NULL. Return the exit status. */
int markup_filter_file(struct run *run, const char *path);

#endif
