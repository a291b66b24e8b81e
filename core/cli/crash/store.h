/* SPDX-License-Identifier: MIT */
/*
 * Creates all files of reports, cores and minidumps. It follows no symbolic links, never replaces a
 * file of a different crash, and leaves a recognizable text in unfinished reports.
 *
 *	struct crash_store store = { .mode = 0640 };
 *	int error = crash_store_directory("/var/lib/cairn", &store.reports);
 *	if (error == 0)
 *		error = crash_store_begin(&store, 1700000000, 1234, "{}\n");
 *	... from now on the report exists
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
	int cores, dumps; /* descriptors of these directories; -1 if not requested */
	char name[NAME_ROOM];
	/*
	 * length of `name` without the suffix, which is equal for the report, the core and the
	 * minidump
	 */
	size_t stem;
	mode_t mode;
	gid_t group;
	uint64_t user; /* UID of the crashed process */
};

struct crash_bounds {
	uint64_t files, bytes;
};

/*
 * Open an existing directory without following symbolic links in any component of the path. Return
 * EPERM if a component belongs to a different user or is writable by others.
 */
CAIRN_MUST_USE int crash_store_directory(const char *path, int *directory);

/*
 * Create the report's file with `text`, which must be a valid report that remains if the handler
 * never finishes.
 */
CAIRN_MUST_USE int crash_store_begin(struct crash_store *store, uint64_t time, uint64_t pid,
                                     const char *text);

/*
 * Replace the report by a copy of the file `content`, whose last bytes ("}\n") are replaced by
 * `end`. On failure the preliminary report remains.
 */
CAIRN_MUST_USE int crash_store_finish(const struct crash_store *store, int content,
                                      const char *end);

/* Overwrite the preliminary report with `text`, which must not be longer. */
CAIRN_MUST_USE int crash_store_amend(const struct crash_store *store, const char *text);

/* Create an empty file in `directory`, and write its temporary name to `temporary`. */
CAIRN_MUST_USE int crash_store_file(const struct crash_store *store, int directory,
                                    char temporary[NAME_ROOM], int *file);

/*
 * Rename the temporary file to its final name, and write this name to `name`. On failure the file
 * is deleted.
 */
CAIRN_MUST_USE int crash_store_keep(const struct crash_store *store, int directory,
                                    const char *temporary, const char *ending,
                                    char name[NAME_ROOM]);
void crash_store_drop(int directory, const char *temporary);

/*
 * Copy the file `content` to `directory`, with the same permissions as the core, and write the name
 * of the copy to `name`. Its modification time is set to that in the entry `as` of `directory`, or
 * to the current time if `as` is NULL. Returns ENODATA if `content` is empty.
 */
CAIRN_MUST_USE int crash_store_copy(const struct crash_store *store, int directory, int content,
                                    const char *ending, const char *as, char name[NAME_ROOM]);

/*
 * Lock the directory of reports, waiting a few seconds if necessary. Return a descriptor that holds
 * the lock until it is closed or the process ends, or -1.
 */
int crash_store_lock(const struct crash_store *store);

/*
 * Return true if the user's limit of `rate` reports per minute allows another report. `lock` is the
 * descriptor from crash_store_lock().
 */
bool crash_store_allows(const struct crash_store *store, int lock, uint64_t rate, uint64_t now);

/*
 * Delete files until the directory is within its limits, always the oldest file of the user whose
 * files have the most bytes. If `at_least` is set, delete at least one file. Return the number of
 * deleted files.
 */
size_t crash_store_trim(const struct crash_store *store, int directory,
                        const struct crash_bounds *bounds, bool at_least);

#endif
