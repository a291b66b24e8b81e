/* SPDX-License-Identifier: MIT */
/* One run of `cairn gsym create`. */
#ifndef CAIRN_CLI_GSYM_CREATE_CREATE_H
#define CAIRN_CLI_GSYM_CREATE_CREATE_H

#include "cli/gsym/gsym.h"

#include "recheck.h"

#include "writers/gsym/writer.h"

struct create {
	const char *out;
	const char *tree; /* a folder of inputs; then `out` is the folder of a store */
	uint64_t format, segment;
	bool merged, truncate, verify, keep_going, json;
	bool embed; /* the output is the input with a section more */
	struct function_source_options input;

	/* of one run */
	char path[4096]; /* of the output */
	struct function_source origin;
	struct gsym_writer *writer;
	struct gsym_writer_summary summary;
	unsigned version;
	uint64_t size, strings, files, pieces;
	struct gsym_recheck check; /* with --verify */
};

/* file.c: one input; the exit status. */
int create_file(struct create *create, const char *input);

/* The summary, on standard output; on standard error when the file itself went there. */
void create_print_summary(const struct create *create);
void create_print_json(const struct create *create);

#endif
