/* SPDX-License-Identifier: MIT */
/*
 * State shared by processes with a common debuginfod cache, in one file of its directory,
 * `cairn_fetches`:
 *
 * - the files being fetched. The process that fetches a file holds a lock on one byte far beyond
 *   the end of the shared file; a hash of the build selects the byte. The lock ends with the
 *   process. Other processes wait for it and then find the file.
 * - the files that servers do not have: records of 40 bytes at an offset that is a hash as well. A
 *   record identifies its build by a hash that includes the time, so a record half-written by two
 *   processes is invalid. A new record replaces an older one, so the file has at most 2.6 MB.
 * - the free capacity of the cache, at the beginning of the file.
 *
 *	struct fetched_question question = { build_id, "debuginfo", servers };
 *	struct fetched fetched;
 *	fetched_open(&fetched, folder, &question);
 *	... fetched_is_absent(&fetched), and if it is not, fetched_lock(&fetched) until it is true
 *	... ask, then fetched_note_absent(&fetched) or fetched_count(&fetched, size, &counts)
 *	fetched_close(&fetched);
 *
 * If the file cannot be created, processes do not wait and nothing is remembered.
 */
#ifndef CAIRN_OS_DEBUGINFOD_FETCHED_H
#define CAIRN_OS_DEBUGINFOD_FETCHED_H

#include "counts.h"

#include "base/hash.h"

enum {
	FETCHED_SLOTS = 1 << 16,
	FETCHED_ABSENT_SECONDS = 600,    /* lifetime of negative answers without cache_miss_s */
	FETCHED_GRACE = 60,              /* seconds for which a used file is kept */
	FETCHED_STALE_SECONDS = 60 * 60, /* age at which an unfinished file is abandoned */
	FETCHED_SWEEP = 256,             /* files fetched between two scans of the cache */
};

/* Default bound of the cache in bytes; CAIRN_DEBUGINFOD_CACHE_MAX overrides it, 0 for no bound. */
#define FETCHED_BYTES_MAX ((uint64_t)16 << 30)

struct fetched_question {
	struct cairn_bytes build_id;
	const char *file;    /* "debuginfo" or "executable" */
	const char *servers; /* part of the key, because other servers may have the file */
};

struct fetched {
	int fd; /* -1: the file cannot be used */
	const char *folder;
	struct fetched_question question;
	uint8_t place[SHA256_SIZE]; /* hash of the file name and build ID */
};

/* Open the shared file. `folder` and the data of `question` are borrowed until fetched_close(). */
void fetched_open(struct fetched *fetched, const char *folder,
                  const struct fetched_question *question);

/* Return true if a process recently found that the servers do not have the file. */
bool fetched_is_absent(const struct fetched *fetched);
void fetched_note_absent(const struct fetched *fetched);

/* Lock the file to be fetched. Returns false if another process fetches it. */
bool fetched_lock(const struct fetched *fetched);

/*
 * Account for a downloaded file of `bytes` bytes. Sweeps the cache if it exceeds its bound, and
 * updates the evictions and size in `counts`.
 */
void fetched_count(const struct fetched *fetched, uint64_t bytes, struct debuginfod_counts *counts);

/* Remove a quarter of the cache. Returns true if a file was removed. */
bool fetched_make_room(const struct fetched *fetched, struct debuginfod_counts *counts);

void fetched_close(struct fetched *fetched);

#endif
