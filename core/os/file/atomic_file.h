/* SPDX-License-Identifier: MIT */
/*
 * Files that appear completely or not at all.
 *
 * atomic_file: written under another name in the same directory, followed by a rename. Any
 * process that opens the path finds either the old or the new file. Signals are held until then,
 * and a failure leaves nothing behind. If the path names something other than a regular file (a
 * device, a pipe), it is written in place.
 *
 * durable: the same for files whose storage was acknowledged to a client. They are renamed once
 * their contents are on disk, so they survive a crash of the machine, and may count against a
 * quota.
 *
 * unfinished: a file that has its final name while it is written, such as a download, and is
 * removed if a signal ends the process.
 */
#ifndef CAIRN_OS_FILE_ATOMIC_FILE_H
#define CAIRN_OS_FILE_ATOMIC_FILE_H

#include "write.h"

#include <cairn.h>

#include <stdatomic.h>

/* Write the parts one after the other. Returns 0 or an errno value. */
CAIRN_MUST_USE int os_atomic_file_write(const char *path, const struct cairn_bytes *parts,
                                        size_t count);

/*
 * Write the parts to a path that no user named, such as a file in a cache. Any existing file is
 * replaced, including a symbolic link and a pipe, which would block until a reader opens it.
 */
CAIRN_MUST_USE int os_atomic_file_replace(const char *path, const struct cairn_bytes *parts,
                                          size_t count);

/* Write a file piece by piece: `fill` writes to the descriptor and returns 0 or an errno value. */
CAIRN_MUST_USE int os_atomic_file_fill(const char *path, int (*fill)(void *context, int fd),
                                       void *context);

/*
 * Create a directory and its missing parents, accessible to this user alone. Returns 0 or an errno
 * value.
 */
CAIRN_MUST_USE int os_make_directories(const char *path);

/*
 * Writes a file piece by piece so that it appears completely or not at all, even after a crash of
 * the machine: it is renamed once its contents are on disk. This is for files whose storage was
 * acknowledged to a client; for files that can be regenerated, os_atomic_file_write() is cheaper.
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
	int fd; /* -1: not open */
	uint64_t size;
	struct os_quota *quota; /* NULL: unlimited */
	size_t blocks;
	char path[OS_DURABLE_PATH_MAX];
};

/*
 * Create a new, empty file in `directory`, which must be on the same file system as the final name.
 * Written blocks are taken from `quota`, which may be NULL; EDQUOT means that it is exhausted. A
 * commit that replaces a file gives its blocks back.
 */
CAIRN_MUST_USE int os_durable_begin(const char *directory, struct os_quota *quota,
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
CAIRN_MUST_USE int os_durable_directories(const char *path, struct os_quota *quota);

/* Remove a file or an empty directory and give its blocks back to `quota`, which may be NULL. */
int os_durable_remove(const char *path, struct os_quota *quota);

/*
 * Limits the disk space of a directory. Space is counted in blocks independently of the file
 * system: one block for each name and one for each full block of a file, so that many small files
 * count too.
 *
 *	struct os_quota quota;
 *	os_quota_init(&quota, 1 << 30);
 *	error = os_quota_count(&quota, "/store"); ... existing files
 *	... os_durable_begin(directory, &quota, &file) and what follows it draw from the quota
 *
 * Threads may take from one quota concurrently.
 */

enum {
	OS_QUOTA_BLOCK = 4096,     /* bytes, as on common file systems */
	OS_QUOTA_FOLDERS_MAX = 16, /* depth of counted directories; a store has six levels */
};

/* Counts in blocks, because 64-bit atomics need a library on some 32-bit targets. */
struct os_quota {
	size_t most; /* blocks */
	atomic_size_t used;
};

/* Set the limit; 0 bytes means unlimited. */
void os_quota_init(struct os_quota *quota, uint64_t bytes);

size_t os_quota_blocks(uint64_t size);

/*
 * Take `blocks` blocks. Returns false, and takes nothing, if fewer are left. `quota` may be NULL
 * for unlimited.
 */
bool os_quota_take(struct os_quota *quota, size_t blocks);
void os_quota_give(struct os_quota *quota, size_t blocks);

bool os_quota_has(const struct os_quota *quota, size_t blocks);

/*
 * Add the existing contents of a directory, even beyond the limit. Symbolic links are not followed.
 * Returns 0 or an errno value, ELOOP if directories are nested deeper than OS_QUOTA_FOLDERS_MAX.
 */
CAIRN_MUST_USE int os_quota_count(struct os_quota *quota, const char *directory);

/*
 * Removes temporary files of killed processes. A process that writes a temporary file beside its
 * final name first removes stale ones, so that leftovers do not accumulate.
 */

/*
 * Age at which a temporary file is considered abandoned. A writer changes the modification time
 * with each write, and network readers time out after minutes.
 */
enum { OS_STALE_FILE_SECONDS = 60 * 60 };

/*
 * Removes an unfinished file, such as a download, if SIGINT, SIGTERM or SIGHUP ends the process.
 * Use this in processes that write one such file at a time, from one thread.
 */

/*
 * Block these signals until os_unfinished_release(). Call it before the file is created, renamed to
 * its final name or removed.
 */
void os_unfinished_hold(void);

/*
 * Register `path` as the unfinished file, and unblock the signals. If `path` is NULL or too long,
 * no file is registered.
 */
void os_unfinished_release(const char *path);

#endif
