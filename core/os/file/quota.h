/* SPDX-License-Identifier: MIT */
/*
 * Limits the disk space of a directory. Space is counted in blocks independently of the file
 * system: one block for each name and one for each full block of a file, so that many small files
 * count too.
 *
 *	struct os_quota quota;
 *	os_quota_init(&quota, 1 << 30);
 *	int error = os_quota_count(&quota, "/store"); ... existing files
 *	... os_durable_begin(folder, &quota, &file) and what follows it draw from the quota
 *
 * Threads may take from one quota concurrently.
 */
#ifndef CAIRN_OS_FILE_QUOTA_H
#define CAIRN_OS_FILE_QUOTA_H

#include <cairn.h>

#include <stdatomic.h>

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
CAIRN_MUST_USE int os_quota_count(struct os_quota *quota, const char *folder);

#endif
