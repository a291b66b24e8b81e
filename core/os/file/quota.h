/* SPDX-License-Identifier: MIT */
/*
 * How much of a disk a folder may take.  Files and folders are counted in blocks, whatever the file system
 * does with them: one for each name and one for each full block of a file, so that many small files count, too.
 *
 *	struct os_quota quota;
 *	os_quota_init(&quota, 1 << 30);
 *	int error = os_quota_count(&quota, "/store"); ... what is there already
 *	... os_durable_begin(folder, &quota, &file) and what follows it draw from the quota
 *
 * Threads may draw from one quota at once.
 */
#ifndef CAIRN_OS_FILE_QUOTA_H
#define CAIRN_OS_FILE_QUOTA_H

#include <cairn.h>

#include <stdatomic.h>

enum {
	OS_QUOTA_BLOCK = 4096,     /* bytes, as on common file systems */
	OS_QUOTA_FOLDERS_MAX = 16, /* in each other that are counted; a store has six */
};

/* Blocks fit into a word where 64 bits at once need a library. */
struct os_quota {
	size_t most; /* blocks */
	atomic_size_t used;
};

/* `bytes` 0: there is no limit. */
void os_quota_init(struct os_quota *quota, uint64_t bytes);

/* Blocks of a file of `size` bytes. */
size_t os_quota_blocks(uint64_t size);

/* False, and nothing is taken, when so many blocks are not left.  `quota` may be NULL: there is no limit. */
bool os_quota_take(struct os_quota *quota, size_t blocks);
void os_quota_give(struct os_quota *quota, size_t blocks);

/* Is so much left now?  Takes nothing. */
bool os_quota_has(const struct os_quota *quota, size_t blocks);

/*
 * Adds what is in a folder, past the limit, too.  Links are not followed.  0 or an errno value: ELOOP when folders
 * are nested deeper than OS_QUOTA_FOLDERS_MAX.
 */
CAIRN_MUST_USE int os_quota_count(struct os_quota *quota, const char *folder);

#endif
