/* SPDX-License-Identifier: MIT */
/*
 * A file that is written piece by piece and appears whole or not at all, also after a crash of the
 * machine: it gets its name when all of it is on the disk.  For files of which somebody was told
 * that they are kept; what can be made again is cheaper with atomic_file.h.
 *
 *	struct os_durable file;
 *	int error = os_durable_begin("/store/tmp", &file);
 *	if (error == 0)
 *		error = os_durable_write(&file, bytes);
 *	if (error == 0)
 *		error = os_durable_commit(&file, "/store/a/b/name");
 *	os_durable_abandon(&file); ... harmless after a commit
 *
 * All return 0 or an errno value.
 */
#ifndef CAIRN_OS_DURABLE_H
#define CAIRN_OS_DURABLE_H

#include <cairn.h>

enum { OS_DURABLE_PATH_MAX = 4096 };

struct os_durable {
	int fd; /* -1: there is none */
	uint64_t size;
	char path[OS_DURABLE_PATH_MAX]; /* of the temporary file */
};

/* A new, empty file in `folder`, which must be on the file system of the name to come. */
CAIRN_MUST_USE int os_durable_begin(const char *folder, struct os_durable *file);

CAIRN_MUST_USE int os_durable_write(struct os_durable *file, struct cairn_bytes bytes);

/* Waits until the disk has it all, then gives the file its name, in place of another one's. */
CAIRN_MUST_USE int os_durable_commit(struct os_durable *file, const char *path);

/* The two halves of a commit, for callers that hold a lock for the second. */
CAIRN_MUST_USE int os_durable_flush(struct os_durable *file);
CAIRN_MUST_USE int os_durable_rename(struct os_durable *file, const char *path);

/* Closes and removes what was not committed. */
void os_durable_abandon(struct os_durable *file);

/* Makes a folder and those above it, unless they are there. */
CAIRN_MUST_USE int os_durable_folders(const char *path);

#endif
