/* SPDX-License-Identifier: MIT */
/*
 * Creates the files of reports, cores and minidumps; nothing else in cairn does. It follows no
 * symbolic links, never replaces the file of another crash, and marks every report that was not
 * finished.
 *
 *	struct crash_store store = { .mode = 0640 };
 *	int error = crash_store_directory("/var/lib/cairn", &store.reports);
 *	if (error == 0)
 *		error = crash_store_begin(&store, 1700000000, 1234, "{}\n");
 *	... the report is there from now on
 *	if (error == 0)
 *		error = crash_store_finish(&store, 3, "}\n");
 *
 * All functions that return int return 0 or an errno value, unless stated otherwise.
 */
#ifndef CAIRN_CLI_CRASH_STORE_H
#define CAIRN_CLI_CRASH_STORE_H

#include <cairn.h>

#include <sys/types.h>

enum { NAME_ROOM = 96 };

struct crash_store {
	int reports;
	int cores, dumps; /* directories; -1 if not requested */
	char name[NAME_ROOM];
	size_t stem; /* length of `name` without the suffix; cores and minidumps share this part */
	mode_t mode;
	gid_t group;
	uint64_t user; /* UID of the crashed process */
};

struct crash_bounds {
	uint64_t files, bytes;
};

/*
 * Open an existing directory without following symbolic links in any component of the path. EPERM:
 * a component belongs to another user or is writable by others.
 */
CAIRN_MUST_USE int crash_store_directory(const char *path, int *directory);

/* Create the report's file. `text` must be a valid report in case the handler never finishes. */
CAIRN_MUST_USE int crash_store_begin(struct crash_store *store, uint64_t time, uint64_t pid,
                                     const char *text);

/*
 * Replace the report by the file `content`, whose last bytes ("}\n") are replaced by `end`. On
 * failure the first text remains.
 */
CAIRN_MUST_USE int crash_store_finish(const struct crash_store *store, int content,
                                      const char *end);

/* Overwrite the first text with another one, which must not be longer. */
CAIRN_MUST_USE int crash_store_amend(const struct crash_store *store, const char *text);

/* Create an empty file in `directory`, and write its temporary name to `temporary`. */
CAIRN_MUST_USE int crash_store_file(const struct crash_store *store, int directory,
                                    char temporary[NAME_ROOM], int *file);

/*
 * Give the temporary file its final name, and write that to `name`. On failure the file is removed.
 */
CAIRN_MUST_USE int crash_store_keep(const struct crash_store *store, int directory,
                                    const char *temporary, const char *ending,
                                    char name[NAME_ROOM]);
void crash_store_drop(int directory, const char *temporary);

/*
 * Copy the file `content` to `directory`, readable like the core. The copy gets the modification time
 * of the file `as` in `directory`, or the current time if `as` is NULL. `name` receives the name of
 * the copy. Returns ENODATA if `content` is empty.
 */
CAIRN_MUST_USE int crash_store_copy(const struct crash_store *store, int directory, int content,
                                    const char *ending, const char *as, char name[NAME_ROOM]);

/*
 * Lock the directory of reports, waiting some seconds. Return a descriptor that holds the lock
 * until it is closed or the process ends, or -1.
 */
int crash_store_lock(const struct crash_store *store);

/*
 * Return true if the user may store another report, with at most `rate` per minute. `lock` is the
 * descriptor from crash_store_lock().
 */
bool crash_store_allows(const struct crash_store *store, int lock, uint64_t rate, uint64_t now);

/*
 * Remove files until the directory is within its limits; each time, the oldest file of the user who
 * has the most bytes. With `at_least` remove one file even if the limits are kept. Return the
 * number of removed files.
 */
size_t crash_store_trim(const struct crash_store *store, int directory,
                        const struct crash_bounds *bounds, bool at_least);

#endif
