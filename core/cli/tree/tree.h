/* SPDX-License-Identifier: MIT */
/*
 * One run of a verb with --tree: the ELF files of a folder that have a build ID, and what is made of each, in a store
 * that is a tree of build IDs.
 */
#ifndef CAIRN_CLI_TREE_TREE_H
#define CAIRN_CLI_TREE_TREE_H

#include "cli/front/cli.h"
#include "locate/tree_files.h"
#include "output/json.h"

enum { TREE_JOBS_MAX = 256 };

enum tree_state {
	TREE_MADE,
	TREE_KEPT,  /* it was there, and whole */
	TREE_EMPTY, /* there is nothing to make of the file */
	TREE_FAILED,
	TREE_STATES,
};

/* What a verb makes of a file. */
struct tree_verb {
	const char *ending; /* of names in the store, without a dot */
	/* in words and in JSON: files of which nothing can be made, and that there is none of another kind */
	const char *empty, *empty_key, *nothing;
	uint8_t (*rate)(const struct elf *elf);
	bool (*is_stored)(const char *path, const struct tree_file *file);
	/* makes `path` of `input`, in a process of its own; an exit status */
	int (*make)(const void *context, const char *input, const char *path);
	const void *context;
};

struct tree {
	const char *folder, *store;
	const struct tree_verb *verb;
	unsigned jobs; /* files at a time, 1 to TREE_JOBS_MAX */
	bool quiet, as_json;
	struct tree_files files;
	uint64_t count[TREE_STATES];
	struct json json;
};

/* Do all of it, for a tree whose directories, verb and options are set. Return the exit status. */
int tree_run(struct tree *tree);

#endif
