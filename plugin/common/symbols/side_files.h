/* SPDX-License-Identifier: MIT */
/*
 * Files with SFrame tables that were made for modules (`cairn sframe create`): which ones the user named, and which is for a module.
 * One that the user named comes before one that is found.
 */
#ifndef CAIRN_COMMON_SYMBOLS_SIDE_FILES_H
#define CAIRN_COMMON_SYMBOLS_SIDE_FILES_H

#include <cairn.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SIDE_FILES_MAX = 64 };

struct side_files {
	char *path[SIDE_FILES_MAX]; /* that the user named, owned */
	unsigned count;
};

/* Adds one that the user named; false: there are too many, or memory is short. */
bool side_files_add(struct side_files *files, const char *path);

/*
 * Gives the module at `pc` the table of a file, if it has none; looks for one once.  `directories`: "DIR:DIR", or NULL.  False:
 * there is none, or it was looked for before.
 */
bool side_files_give(const struct side_files *files, struct cairn_space *space, uint64_t pc,
                     const char *directories);

/* The path of a file for a program with that build ID; false: there is none. */
bool side_files_find(const struct side_files *files, const char *binary,
                     struct cairn_bytes build_id, const char *directories, char *path, size_t size);

/* Has the user named one of that build? */
bool side_files_has_named(const struct side_files *files, struct cairn_bytes build_id);

void side_files_finish(struct side_files *files);

#ifdef __cplusplus
}
#endif

#endif
