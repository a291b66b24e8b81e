/* SPDX-License-Identifier: MIT */
/*
 * What processes that share a cache of debuginfod tell each other, by one file in its folder, `cairn_fetches`:
 *
 * - which file of which build is fetched now.  The process that fetches it holds a lock on one byte far past the end of the shared file;
 *   a hash of the build chooses the byte.  The lock ends with the process.  Others wait for it, and then find the file.
 * - which files servers do not have: a record of 40 bytes, at a place that is a hash again. A record names its build by a hash with the time in
 *   it, so that one half of which is of another process is none. A new record takes the place of an older one: the file has 2.6 MB at most.
 * - how much room the cache has, at the file's beginning.
 *
 *	struct fetched_question question = { build_id, "debuginfo", servers };
 *	struct fetched fetched;
 *	fetched_open(&fetched, folder, &question);
 *	... fetched_is_absent(&fetched), and if it is not, fetched_lock(&fetched) until it is true
 *	... ask, then fetched_note_absent(&fetched) or fetched_count(&fetched, size, &counts)
 *	fetched_close(&fetched);
 *
 * Where the file cannot be made, nobody waits and nothing is remembered.
 */
#ifndef CAIRN_OS_DEBUGINFOD_FETCHED_H
#define CAIRN_OS_DEBUGINFOD_FETCHED_H

#include "counts.h"

#include "base/sha256.h"

enum {
	FETCHED_SLOTS = 1 << 16,         /* records of what servers do not have */
	FETCHED_ABSENT_SECONDS = 600,    /* unless the file cache_miss_s says something else */
	FETCHED_GRACE = 60,              /* seconds after its use in which no file is removed */
	FETCHED_STALE_SECONDS = 60 * 60, /* after which an unfinished file is nobody's any more */
	FETCHED_SWEEP = 256, /* files are fetched before the cache is looked through again */
};

/* The bytes that a cache may have, unless CAIRN_DEBUGINFOD_CACHE_MAX is set; 0 there means no bound. */
#define FETCHED_BYTES_MAX ((uint64_t)16 << 30)

struct fetched_question {
	struct cairn_bytes build_id;
	const char *file;    /* "debuginfo" or "executable" */
	const char *servers; /* what one has not, others may have */
};

struct fetched {
	int fd; /* -1: there is no file */
	const char *folder;
	struct fetched_question question;
	uint8_t place[SHA256_SIZE]; /* of the file of the build */
};

/* Borrows what it is given. */
void fetched_open(struct fetched *fetched, const char *folder,
                  const struct fetched_question *question);

/* Has a process found lately that the servers do not have it? */
bool fetched_is_absent(const struct fetched *fetched);
void fetched_note_absent(const struct fetched *fetched);

/* False: another process fetches it. */
bool fetched_lock(const struct fetched *fetched);

/* A file of so many bytes has come: makes room if that is too much, and counts what went and what is left. */
void fetched_count(const struct fetched *fetched, uint64_t bytes, struct debuginfod_counts *counts);

/* Removes a quarter of the cache; true if something went. */
bool fetched_make_room(const struct fetched *fetched, struct debuginfod_counts *counts);

/* Gives back all locks. */
void fetched_close(struct fetched *fetched);

#endif
