/* SPDX-License-Identifier: MIT */
/*
 * Writes files that appear completely or not at all.
 *
 * - An atomic file is written under a temporary name in the same directory and then renamed, so
 * that processes that open the path find either the old or the new file. Signals are blocked until
 * the rename, and a failure leaves no file behind. If the path leads to something other than a
 * regular file (a device, a pipe), it is written in place.
 *
 * - A durable file is one that a client may rely on. It is renamed once its contents are on disk,
 * so it survives a crash of the machine. It may count against a quota.
 *
 * - An unfinished file, such as a download, has its final name while it is written. It is removed
 * if a signal ends the process.
 */
#ifndef CAIRN_OS_ATOMIC_FILE_H
#define CAIRN_OS_ATOMIC_FILE_H

#include "write.h"

#include <cairn.h>

#include <stdatomic.h>

/* Write the concatenated parts to `path`. Returns 0 or an errno value. */
CAIRN_MUST_USE int os_atomic_file_write(const char *path, const struct cairn_bytes *parts,
                                        size_t count);

/*
 * Write the concatenated parts to a path that the user has not chosen, such as one in a cache.
 * Replaces any existing file. This includes a symbolic link, and a pipe, which would block the
 * writer until a reader opens it.
 */
CAIRN_MUST_USE int os_atomic_file_replace(const char *path, const struct cairn_bytes *parts,
                                          size_t count);

/* Write a file incrementally: `fill` writes to the descriptor and returns 0 or an errno value. */
CAIRN_MUST_USE int os_atomic_file_fill(const char *path, int (*fill)(void *context, int fd),
                                       void *context);

/*
 * Create a directory and its missing parents, accessible only to this user. Returns 0 or an errno
 * value.
 */
CAIRN_MUST_USE int os_make_directories(const char *path);

/*
 * Writes a durable file incrementally. The file is renamed once its contents are on disk, so even
 * after a crash of the machine it exists completely or not at all. os_atomic_file_write() is
 * cheaper for files that can be regenerated.
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

enum { OS_DURABLE_PATH_MAX = 4096 };

struct os_durable {
	int fd;
	uint64_t size;
	struct os_quota *quota; /* NULL if unlimited */
	size_t blocks;
	char path[OS_DURABLE_PATH_MAX];
};

/*
 * Create a new, empty file in `directory`, which must be on the same file system as the final name.
 * Takes the written blocks from `quota`, which may be NULL; EDQUOT means that the quota is
 * exhausted. A commit that replaces a file returns that file's blocks.
 */
CAIRN_MUST_USE int os_durable_begin(const char *directory, struct os_quota *quota,
                                    struct os_durable *file);

CAIRN_MUST_USE int os_durable_write(struct os_durable *file, struct cairn_bytes bytes);

/* Flush the file to disk, then rename it to `path`, replacing any existing file. */
CAIRN_MUST_USE int os_durable_commit(struct os_durable *file, const char *path);

/*
 * Perform the two steps of a commit separately, for callers that hold a lock only during the
 * rename.
 */
CAIRN_MUST_USE int os_durable_flush(struct os_durable *file);
CAIRN_MUST_USE int os_durable_rename(struct os_durable *file, const char *path);

void os_durable_abandon(struct os_durable *file);

/*
 * Create a directory and its missing parents. Takes their blocks from `quota`, which may be NULL.
 */
CAIRN_MUST_USE int os_durable_directories(const char *path, struct os_quota *quota);

/* Remove a file or an empty directory, and return its blocks to `quota`, which may be NULL. */
int os_durable_remove(const char *path, struct os_quota *quota);

/*
 * Limits the disk space that a directory uses. Every name costs one block, plus one for each full
 * block of a file, so many small files count too. The result does not depend on the file system.
 *
 *	struct os_quota quota;
 *	os_quota_init(&quota, 1 << 30);
 *	error = os_quota_count(&quota, "/store");              counts existing files
 *	... os_durable_begin(directory, &quota, &file)          its writes use up the quota
 *
 * Threads may take blocks from the same quota concurrently.
 */

enum {
	OS_QUOTA_BLOCK = 4096, /* size of a block in bytes, as usual for file systems */
	/* maximum depth of counted directories; a store has six levels */
	OS_QUOTA_DIRECTORIES_MAX = 16,
};

/* Counts blocks rather than bytes, because 64-bit atomics need a library on some 32-bit targets. */
struct os_quota {
	size_t most;
	atomic_size_t used;
};

void os_quota_init(struct os_quota *quota, uint64_t bytes);

size_t os_quota_blocks(uint64_t size);

/*
 * Take `blocks` blocks. Returns false and takes no blocks if fewer are left. A NULL `quota` is
 * unlimited.
 */
bool os_quota_take(struct os_quota *quota, size_t blocks);
void os_quota_give(struct os_quota *quota, size_t blocks);

bool os_quota_has(const struct os_quota *quota, size_t blocks);

/*
 * Count the existing contents of a directory, even if they exceed the limit. Does not follow
 * symbolic links. Returns 0 or an errno value; ELOOP if directories are nested deeper than
 * OS_QUOTA_DIRECTORIES_MAX.
 */
CAIRN_MUST_USE int os_quota_count(struct os_quota *quota, const char *directory);

/*
 * Removes temporary files left by killed processes. Before a process creates a temporary file, it
 * removes abandoned ones from the same directory, so that they do not accumulate.
 */

/*
 * Age at which a temporary file counts as abandoned. Each write updates the modification time, and
 * writers that read from the network time out within minutes.
 */
enum { OS_STALE_FILE_SECONDS = 60 * 60 };

/*
 * Removes an unfinished file, such as a download, if SIGINT, SIGTERM or SIGHUP ends the process.
 * Only for processes that write one such file at a time, from one thread.
 */

/*
 * Block SIGINT, SIGTERM and SIGHUP until os_unfinished_release(). Call this before creating,
 * renaming or removing the file.
 */
void os_unfinished_hold(void);

/*
 * Register `path` as the unfinished file and unblock the signals. Registers no file if `path` is
 * NULL or too long.
 */
void os_unfinished_release(const char *path);

#endif
