/* SPDX-License-Identifier: MIT */
/*
 * State that processes with a common debuginfod cache share, in the cache directory's file
 * `cairn_fetches`:
 *
 * - Files being downloaded. The downloading process locks one byte far beyond the end of the shared
 * file, at an offset derived from a hash of the build. The kernel releases the lock when the
 * process exits. Other processes wait for the lock and then find the file in the cache.
 * - Files that the servers do not have. Each has a record of 40 bytes, also at a hashed offset. A
 * record identifies its build by a hash that includes the time, so a record that two processes have
 * overwritten concurrently is invalid. New records replace old ones at the same offset, so the
 * shared file has at most 2.6 MB.
 * - The free capacity of the cache, at the beginning of the shared file.
 *
 *	struct fetched_question question = { build_id, "debuginfo", servers };
 *	struct fetched fetched;
 *	fetched_open(&fetched, directory, &question);
 *	... unless fetched_is_absent(&fetched), repeat fetched_lock(&fetched) until it returns true
 *	... query the servers, then
 *	... fetched_note_absent(&fetched) or fetched_count(&fetched, size, &counts)
 *	fetched_close(&fetched);
 *
 * If the shared file cannot be created, processes do not wait for each other and negative answers
 * are not cached.
 */
#ifndef CAIRN_OS_FETCHED_H
#define CAIRN_OS_FETCHED_H

#include "base/hash.h"

#include <cairn.h>

#include <stdint.h>
#include <stdio.h>

enum {
	FETCHED_SLOTS = 1 << 16,
	/*
	 * lifetime of negative answers in seconds, unless the cache directory contains cache_miss_s
	 */
	FETCHED_ABSENT_SECONDS = 600,
	FETCHED_GRACE = 60, /* number of seconds for which a recently used file is not evicted */
	/* age at which an unfinished download counts as abandoned */
	FETCHED_STALE_SECONDS = 60 * 60,
	FETCHED_SWEEP = 256, /* number of downloads between two scans of the cache */
};

/*
 * Default limit for the cache in bytes. CAIRN_DEBUGINFOD_CACHE_MAX overrides it; 0 means no limit.
 */
#define FETCHED_BYTES_MAX ((uint64_t)16 << 30)

/* Statistics on a debuginfod client's lookups, for the operator of a symbol server. */
struct debuginfod_counts {
	uint64_t hits;
	uint64_t misses;
	/* number of lookups for which no server has the file, including cached negative answers */
	uint64_t negatives;
	/* number of lookups that failed, timed out, or found no space in the cache */
	uint64_t errors;
	uint64_t bytes;
	uint64_t evictions;
	/* size of the cache in bytes after the latest download; 0 if unknown */
	uint64_t cache_bytes;
};

struct fetched_question {
	struct cairn_bytes build_id;
	const char *file; /* "debuginfo" or "executable" */
	/* URLs of the queried servers; a negative answer does not apply to other servers */
	const char *servers;
};

struct fetched {
	int fd; /* -1 if the shared file cannot be used */
	const char *directory;
	struct fetched_question question;
	uint8_t place[SHA256_SIZE];
};

/* Open the shared file. Borrows `directory` and the data in `question` until fetched_close(). */
void fetched_open(struct fetched *fetched, const char *directory,
                  const struct fetched_question *question);

/* Return true if a process has recently learned that the servers do not have the file. */
bool fetched_is_absent(const struct fetched *fetched);
void fetched_note_absent(const struct fetched *fetched);

/* Acquire the lock for downloading the file. Returns false if another process is downloading it. */
bool fetched_lock(const struct fetched *fetched);

/*
 * Account for a downloaded file of `bytes` bytes. Shrinks the cache if it exceeds its limit, and
 * updates the evictions and the cache size in `counts`.
 */
void fetched_count(const struct fetched *fetched, uint64_t bytes, struct debuginfod_counts *counts);

/* Evict a quarter of the cache. Returns true if a file has been removed. */
bool fetched_free_space(const struct fetched *fetched, struct debuginfod_counts *counts);

void fetched_close(struct fetched *fetched);

struct sweep_totals {
	uint64_t bytes; /* disk space in bytes that the files take after the sweep */
	uint64_t removed;
};

/*
 * If the directory exceeds `most` bytes, remove the least recently used files until it has `wanted`
 * bytes. Files used in the last minute are kept, because another process may be about to open them.
 * Files left by downloads that were interrupted more than an hour ago are always removed.
 */
void sweep_directory(const char *directory, uint64_t most, uint64_t wanted,
                     struct sweep_totals *totals);

/*
 * Writes and reads the line with which a worker's child process reports its downloads since the
 * previous report. The line is sent between answers, because an answer must depend only on its
 * request and the store.
 *
 *	{"fetched":{"hit":0,"miss":1,"negative":0,"error":0,"bytes":4096,"evictions":0,"cache_bytes":4096}}
 *
 * A child reads hostile bytes, so its lines are untrusted too.
 */

#define FETCH_COUNT_MAX ((uint64_t)1 << 48)

/* Write a line with the differences between `now` and `before`, or nothing if they are equal. */
void fetch_line_write(FILE *out, const struct debuginfod_counts *now,
                      const struct debuginfod_counts *before);

/*
 * Add the counts in a line to `total`. Returns false and leaves `total` unchanged if the line is
 * damaged or is not a report of downloads.
 */
bool fetch_line_add(struct cairn_bytes line, struct debuginfod_counts *total);

#endif
