/* SPDX-License-Identifier: MIT */
/* One run of `cairn gsym create --tree`: files of a folder with a build ID, and a GSYM file of each. */
#ifndef CAIRN_CLI_GSYM_TREE_TREE_H
#define CAIRN_CLI_GSYM_TREE_TREE_H

#include "cli/gsym/create/create.h"
#include "output/json.h"

enum { TREE_BUILD_ID_MAX = 64 };

/* A file that symbols are made of; the best one of its build ID. */
struct tree_file {
	char *path;
	uint8_t build_id[TREE_BUILD_ID_MAX];
	uint8_t size;    /* of the build ID */
	uint8_t quality; /* 2: it has DWARF, 1: a symbol table, 0: less */
};

enum tree_state {
	TREE_MADE,
	TREE_KEPT,  /* it was there, and whole */
	TREE_EMPTY, /* the file has no functions */
	TREE_FAILED,
	TREE_STATES,
};

struct tree {
	const char *folder, *store;
	const struct create *create;
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
void tree_finish(struct tree *tree);

/* Where the symbols of a file go in the store, which is a tree of build IDs.  False when that is too long. */
bool tree_output(const struct tree *tree, const struct tree_file *file, char *path, size_t room);

/* stored.c: is a whole GSYM file of this build ID there? */
bool tree_is_stored(const char *path, const struct tree_file *file);

/* workers.c: makes all files, several at a time, and reports each in their order. */
void tree_make(struct tree *tree);

/* report.c */
void tree_report(struct tree *tree, const struct tree_file *file, enum tree_state state);
void tree_report_counts(struct tree *tree);

/* tree.c: all of it; the exit status. */
int tree_run(const struct create *create, const char *folder);

#endif
