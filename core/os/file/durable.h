/* SPDX-License-Identifier: MIT */
/*
 * A file that is written piece by piece and appears whole or not at all, also after a crash of the
 * machine: it gets its name when all of it is on the disk.  For files of which somebody was told
 * that they are kept; what can be made again is cheaper with atomic_file.h.
 *
 *	struct os_durable file;
 *	int error = os_durable_begin("/store/tmp", NULL, &file);
 *	if (error == 0)
 *		error = os_durable_write(&file, bytes);
 *	if (error == 0)
 *		error = os_durable_commit(&file, "/store/a/b/name");
 *	os_durable_abandon(&file); ... harmless after a commit
 *
 * All return 0 or an errno value.
 */
#ifndef CAIRN_OS_FILE_DURABLE_H
#define CAIRN_OS_FILE_DURABLE_H

#include "quota.h"

enum { OS_DURABLE_PATH_MAX = 4096 };

struct os_durable {
	int fd; /* -1: there is none */
	uint64_t size;
	struct os_quota *quota;         /* NULL: none */
	size_t blocks;                  /* drawn from it */
	char path[OS_DURABLE_PATH_MAX]; /* of the temporary file */
};

/*
 * A new, empty file in `folder`, which must be on the file system of the name to come.  What is written to it
 * draws from `quota` (EDQUOT: it is used up), and when it takes the place of a file, that one's blocks are free
 * again.  NULL: there is no quota.
 */
CAIRN_MUST_USE int os_durable_begin(const char *folder, struct os_quota *quota,
                                    struct os_durable *file);

CAIRN_MUST_USE int os_durable_write(struct os_durable *file, struct cairn_bytes bytes);

/* Waits until the disk has it all, then gives the file its name, in place of another one's. */
CAIRN_MUST_USE int os_durable_commit(struct os_durable *file, const char *path);

/* The two halves of a commit, for callers that hold a lock for the second. */
CAIRN_MUST_USE int os_durable_flush(struct os_durable *file);
CAIRN_MUST_USE int os_durable_rename(struct os_durable *file, const char *path);

/* Closes and removes what was not committed. */
void os_durable_abandon(struct os_durable *file);

/* Makes a folder and those above it, unless they are there; what is made draws from `quota`, or NULL. */
CAIRN_MUST_USE int os_durable_folders(const char *path, struct os_quota *quota);

/* Removes a file, or an empty folder, and gives its blocks back to `quota`, or NULL. */
int os_durable_remove(const char *path, struct os_quota *quota);

#endif
