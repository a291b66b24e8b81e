/* SPDX-License-Identifier: MIT */
/*
 * Writes a file piece by piece so that it appears completely or not at all, even after a crash of
 * the machine: it is renamed once its contents are on disk. This is for files whose storage was
 * acknowledged to a client; for files that can be regenerated, atomic_file.h is cheaper.
 *
 *	struct os_durable file;
 *	int error = os_durable_begin("/store/tmp", NULL, &file);
 *	if (error == 0)
 *		error = os_durable_write(&file, bytes);
 *	if (error == 0)
 *		error = os_durable_commit(&file, "/store/a/b/name");
 *	os_durable_abandon(&file); ... harmless after a commit
 *
 * All functions return 0 or an errno value.
 */
#ifndef CAIRN_OS_FILE_DURABLE_H
#define CAIRN_OS_FILE_DURABLE_H

#include "quota.h"

enum { OS_DURABLE_PATH_MAX = 4096 };

struct os_durable {
	int fd; /* -1: not open */
	uint64_t size;
	struct os_quota *quota; /* NULL: unlimited */
	size_t blocks;
	char path[OS_DURABLE_PATH_MAX];
};

/*
 * Create a new, empty file in `folder`, which must be on the same file system as the final name.
 * Written blocks are taken from `quota`, which may be NULL; EDQUOT means that it is exhausted. A
 * commit that replaces a file gives its blocks back.
 */
CAIRN_MUST_USE int os_durable_begin(const char *folder, struct os_quota *quota,
                                    struct os_durable *file);

CAIRN_MUST_USE int os_durable_write(struct os_durable *file, struct cairn_bytes bytes);

/* Flush the file to disk, then rename it to `path`, replacing any existing file. */
CAIRN_MUST_USE int os_durable_commit(struct os_durable *file, const char *path);

/* Run one half of a commit, for callers that hold a lock during the second. */
CAIRN_MUST_USE int os_durable_flush(struct os_durable *file);
CAIRN_MUST_USE int os_durable_rename(struct os_durable *file, const char *path);

/* Close and remove an uncommitted file. */
void os_durable_abandon(struct os_durable *file);

/*
 * Create a directory and its missing parents. New directories are taken from `quota`, which may be
 * NULL.
 */
CAIRN_MUST_USE int os_durable_folders(const char *path, struct os_quota *quota);

/* Remove a file or an empty directory and give its blocks back to `quota`, which may be NULL. */
int os_durable_remove(const char *path, struct os_quota *quota);

#endif
