/* SPDX-License-Identifier: MIT */
/*
 * Files with SFrame tables made for modules (`cairn sframe create`). Files that the user gave take
 * precedence over files that are found.
 */
#ifndef CAIRN_COMMON_SYMBOLS_SIDE_FILES_H
#define CAIRN_COMMON_SYMBOLS_SIDE_FILES_H

#include <cairn.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SIDE_FILES_MAX = 64 };

struct side_files {
	char *path[SIDE_FILES_MAX]; /* given by the user, owned */
	unsigned count;
};

/* Add a file given by the user. Returns false if there are too many, or memory is short. */
bool side_files_add(struct side_files *files, const char *path);

/*
 * Give the module at `pc` the table of a file if the module does not have one. A module is looked
 * up only once. `directories` is "DIR:DIR" or NULL. Returns false if there is no file, or the
 * module was looked up before.
 */
bool side_files_give(const struct side_files *files, struct cairn_space *space, uint64_t pc,
                     const char *directories);

/*
 * Find a file for a program with that build ID, and store its path. Returns false if no file is
 * found.
 */
bool side_files_find(const struct side_files *files, const char *binary,
                     struct cairn_bytes build_id, const char *directories, char *path, size_t size);

bool side_files_has_named(const struct side_files *files, struct cairn_bytes build_id);

void side_files_finish(struct side_files *files);

#ifdef __cplusplus
}
#endif

#endif
