/* SPDX-License-Identifier: MIT */
/*
 * The folders of reports and cores: their files are made here and nowhere else. No link is followed on
 * the way to them, a file never takes the place of another one, and what was not finished is marked as such.
 *
 *	struct crash_store store = { .mode = 0640 };
 *	int error = crash_store_folder("/var/lib/cairn", &store.reports);
 *	if (error == 0)
 *		error = crash_store_begin(&store, 1700000000, 1234, "{}\n");
 *	... the report is there from now on
 *	if (error == 0)
 *		error = crash_store_finish(&store, 3, "}\n");
 *
 * All return 0 or an errno value.
 */
#ifndef CAIRN_CLI_CRASH_STORE_H
#define CAIRN_CLI_CRASH_STORE_H

#include <cairn.h>

#include <sys/types.h>

enum { NAME_ROOM = 96 };

struct crash_store {
	int reports;
	int cores, dumps;     /* folders; -1: none is wanted */
	char name[NAME_ROOM]; /* of the report, and of the core but for its ending */
	size_t stem;          /* bytes of the name before its ending */
	mode_t mode;          /* of files */
	gid_t group;
	uint64_t user; /* whose crash it is */
};

/* Bounds on what is kept in one folder. */
struct crash_bounds {
	uint64_t files, bytes;
};

/*
 * Opens a folder that exists, without following a link on any part of the way. EPERM: a part of it
 * belongs to somebody else or may be written by others.
 */
CAIRN_MUST_USE int crash_store_folder(const char *path, int *folder);

/* Makes the report's file with a text that is true if nothing else is ever written to it. */
CAIRN_MUST_USE int crash_store_begin(struct crash_store *store, uint64_t time, uint64_t pid,
                                     const char *text);

/*
 * Gives it its content: that of a file, whose last bytes ("}\n") give way to `end`. On failure the first
 * text is there still.
 */
CAIRN_MUST_USE int crash_store_finish(const struct crash_store *store, int content,
                                      const char *end);

/* Writes another first text, which is not longer than the one of before. */
CAIRN_MUST_USE int crash_store_amend(const struct crash_store *store, const char *text);

/* A new, empty file in one of the folders under a temporary name; `temporary` gets it. */
CAIRN_MUST_USE int crash_store_file(const struct crash_store *store, int folder,
                                    char temporary[NAME_ROOM], int *file);

/* Gives it its own name, or removes it. */
CAIRN_MUST_USE int crash_store_keep(const struct crash_store *store, int folder,
                                    const char *temporary, const char *ending,
                                    char name[NAME_ROOM]);
void crash_store_drop(int folder, const char *temporary);

/*
 * Copies the file `content` into a folder, for those who may read cores, with the time of the file `as` there (NULL: now);
 * `name` gets its name.  ENODATA: it is empty.
 */
CAIRN_MUST_USE int crash_store_copy(const struct crash_store *store, int folder, int content,
                                    const char *ending, const char *as, char name[NAME_ROOM]);

/*
 * Waits some seconds for the lock of the folder of reports, which ends when it is closed, or when this
 * process ends. -1: it could not be had.
 */
int crash_store_lock(const struct crash_store *store);

/* May this user have one more report, of `rate` in a minute? `lock` is the locked file. */
bool crash_store_allows(const struct crash_store *store, int lock, uint64_t rate, uint64_t now);

/*
 * Removes the oldest files of whoever has most, until a folder is within its bounds; with `at_least`
 * one, if there is one. Returns how many it removed.
 */
size_t crash_store_trim(const struct crash_store *store, int folder,
                        const struct crash_bounds *bounds, bool at_least);

#endif
