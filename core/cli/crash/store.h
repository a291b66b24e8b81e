/* SPDX-License-Identifier: MIT */
/*
 * Creates all files with reports, cores and minidumps. Follows no symbolic links, never replaces a
 * file from another crash, and leaves a recognizable text in unfinished reports.
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

enum { NAME_CAPACITY = 96 };

struct crash_store {
	int reports;
	int cores, dumps; /* descriptors of the directories, or -1 if not requested */
	char name[NAME_CAPACITY];
	/*
	 * length of `name` without the suffix; the files with the core and the minidump have the
	 * same stem
	 */
	size_t stem;
	mode_t mode;
	gid_t group;
	uint64_t user;
};

struct crash_bounds {
	uint64_t files, bytes;
};

/*
 * Open an existing directory without following symbolic links in any component of the path. Return
 * EPERM if a component belongs to another user or is writable by others.
 */
CAIRN_MUST_USE int crash_store_directory(const char *path, int *directory);

/*
 * Create the report's file with the preliminary report `text`. It must be a valid report, because
 * it remains if the handler is killed or crash_store_finish() fails.
 */
CAIRN_MUST_USE int crash_store_begin(struct crash_store *store, uint64_t time, uint64_t pid,
                                     const char *text);

/*
 * Replace the report with a copy of the file `content`, except that `end` takes the place of its
 * last bytes ("}\n"). On failure the preliminary report remains.
 */
CAIRN_MUST_USE int crash_store_finish(const struct crash_store *store, int content,
                                      const char *end);

/* Overwrite the preliminary report with `text`, which must not be longer. */
CAIRN_MUST_USE int crash_store_amend(const struct crash_store *store, const char *text);

/* Create an empty file in `directory`, and write its temporary name to `temporary`. */
CAIRN_MUST_USE int crash_store_file(const struct crash_store *store, int directory,
                                    char temporary[NAME_CAPACITY], int *file);

/*
 * Rename the temporary file to its final name, and store this name in `name`. Delete the file on
 * failure.
 */
CAIRN_MUST_USE int crash_store_keep(const struct crash_store *store, int directory,
                                    const char *temporary, const char *ending,
                                    char name[NAME_CAPACITY]);
void crash_store_drop(int directory, const char *temporary);

/*
 * Copy the file `content` to `directory`, with the same permissions as the core, and store the name
 * of the copy in `name`. The copy gets the modification time of the file `as` in `directory`, or
 * the current time if `as` is NULL. Return ENODATA if `content` is empty.
 */
CAIRN_MUST_USE int crash_store_copy(const struct crash_store *store, int directory, int content,
                                    const char *ending, const char *as, char name[NAME_CAPACITY]);

/*
 * Lock the directory of reports, waiting a few seconds if necessary. Return a descriptor that holds
 * the lock until it is closed or the process ends, or -1.
 */
int crash_store_lock(const struct crash_store *store);

/*
 * Return true if the user's limit of `rate` reports per minute allows another report. `lock` is a
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
