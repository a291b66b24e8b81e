/* SPDX-License-Identifier: MIT */
/*
 * Implements --tree: converts all ELF files with a build ID in a directory tree, and stores the
 * results by build ID.
 */
#ifndef CAIRN_CLI_FRONT_TREE_H
#define CAIRN_CLI_FRONT_TREE_H

#include "cli.h"
#include "cli/front/cli.h"
#include "locate/symbol_files.h"
#include "output/json.h"

enum { TREE_JOBS_MAX = 256 };

enum tree_state {
	TREE_MADE,
	TREE_KEPT,  /* the store already contains a complete result */
	TREE_EMPTY, /* the file contains no data to convert */
	TREE_FAILED,
	TREE_STATES,
};

struct tree_verb {
	const char *ending; /* suffix of file names in the store, without the dot */
	/*
	 * for files without data to convert: label in the summary, JSON key, and message if there
	 * are no other files
	 */
	const char *empty, *empty_key, *nothing;
	uint8_t (*rate)(const struct elf *elf);
	bool (*is_stored)(const char *path, const struct tree_file *file);
	/* create `path` from `input` and return an exit status; called in a child process */
	int (*make)(const void *context, const char *input, const char *path);
	const void *context;
};

struct tree {
	const char *directory, *store;
	const struct tree_verb *verb;
	unsigned jobs; /* maximum number of files to convert in parallel, 1 to TREE_JOBS_MAX */
	bool quiet, as_json;
	struct tree_files files;
	uint64_t count[TREE_STATES];
	struct json json;
};

int tree_run(struct tree *tree);

#endif
