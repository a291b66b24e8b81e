/* SPDX-License-Identifier: MIT */
/* One run of `cairn gsym create`. */
#ifndef CAIRN_CLI_GSYM_CREATE_CREATE_H
#define CAIRN_CLI_GSYM_CREATE_CREATE_H

#include "cli/front/functions.h"
#include "cli/gsym/gsym.h"

struct create {
	const char *out;
	const char *tree; /* a folder of inputs; then `out` is the folder of a store */
	uint64_t version;
	bool json;
	struct cairn_gsym_options gsym;
	struct functions_input input;

	/* of one run */
	const char *from; /* the input */
	char path[4096];  /* of the output; "-" is standard output */
	bool is_stdout_broken;
	struct cairn_functions *functions;
	struct cairn_gsym_summary summary;
};

/* file.c: one input; the exit status. */
int create_file(struct create *create, const char *input);

/* tree.c: a GSYM file of each build in a folder; the exit status. */
int create_tree(const struct create *create);

/* The summary, on standard output; on standard error when the file itself went there. */
void create_print_summary(const struct create *create);
void create_print_json(const struct create *create);

#endif
