/* SPDX-License-Identifier: MIT */
/*
 * One run of a verb with --tree: the ELF files of a folder that have a build ID, and what is made of each, in a store
 * that is a tree of build IDs.
 */
#ifndef CAIRN_CLI_TREE_TREE_H
#define CAIRN_CLI_TREE_TREE_H

#include "cli/front/cli.h"
#include "output/json.h"

enum { TREE_BUILD_ID_MAX = 64, TREE_JOBS_MAX = 256 };

/* A file that something is made of; the best one of its build ID. */
struct tree_file {
	char *path;
	uint8_t build_id[TREE_BUILD_ID_MAX];
	uint8_t size;    /* of the build ID */
	uint8_t quality; /* as the verb rates it: the more, the better */
};

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
	struct tree_file *file;
	size_t files, room;
	uint64_t seen;       /* regular files in the folder */
	uint64_t unnamed;    /* ELF files without a build ID */
	uint64_t unreadable; /* folders and files, each of which was named in a message */
	uint64_t count[TREE_STATES];
	struct json json;
};

/*
 * crawl.c: gathers the files of tree->folder, in the order of their paths.  Links are not followed.  False:
 * memory is short, and a message was printed.
 */
bool tree_crawl(struct tree *tree);

/* Where what is made of a file goes in the store.  False when that is too long. */
bool tree_output(const struct tree *tree, const struct tree_file *file, char *path, size_t room);

/* workers.c: makes all files, several at a time, and reports each in their order. */
void tree_make(struct tree *tree);

/* report.c */
void tree_report(struct tree *tree, const struct tree_file *file, enum tree_state state);
void tree_report_counts(struct tree *tree);

/* tree.c: all of it, of a tree whose folders, verb and options are set; the exit status. */
int tree_run(struct tree *tree);

#endif
