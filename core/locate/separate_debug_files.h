/* SPDX-License-Identifier: MIT */
/*
 * Finds the files that belong to an ELF file: the debug file (.gnu_debuglink, build ID trees), the
 * dwz file that several programs share (.gnu_debugaltlink), and split DWARF (.dwo, .dwp). The
 * search never contacts a server.
 *
 * A debug file is accepted only if its build ID matches or, if it or the ELF file has no build ID,
 * if its checksum matches the one in .gnu_debuglink. A dwz file must have the build ID in
 * .gnu_debugaltlink. Split DWARF is not verified here, because its units are found by their own
 * IDs. A file from a different build is skipped, but its path is recorded for messages.
 *
 *	const struct separate_debug_rules rules = { .directories = "/srv/debug" };
 *	struct separate_debug_files halves;
 *	separate_debug_files_find_by(&halves, path, bytes, &rules);
 *	... halves.debug.bytes, halves.alt.bytes, halves.package.bytes: empty if not found
 *	dwo = separate_debug_files_dwo(&halves, directory, name);     from any thread
 *	separate_debug_files_finish(&halves);
 */
#ifndef CAIRN_LOCATE_SEPARATE_DEBUG_FILES_H
#define CAIRN_LOCATE_SEPARATE_DEBUG_FILES_H

#include "os/file.h"

#include <pthread.h>

enum {
	SEPARATE_DEBUG_FILES_PATH_MAX = 4096,
	SEPARATE_DEBUG_FILES_ABSENT_MAX = 2048,
	SEPARATE_DEBUG_FILES_LIST_MAX = 2 * 2048 + 64
};

struct separate_debug_file {
	struct os_file file;
	char path[SEPARATE_DEBUG_FILES_PATH_MAX];
};

/* Directories to search and conditions for accepting a file. Initialize with zeros. */
struct separate_debug_rules {
	const char
		*directories; /* colon-separated debug directories, searched before the system's */
	bool no_system_folders;
	/* accept a file at the expected path even if its build ID or checksum differs */
	bool any_build;
	/* ignore paths recorded in the files, and search only `directories` */
	bool only_directories;
	/* file functions of the host; NULL selects os_file_open_regular() */
	const struct cairn_file_access *access;
};

struct separate_debug_files {
	const char *path;
	struct separate_debug_rules rules;
	struct separate_debug_file debug, alt, package;
	/* path of a file that was found but is from a different build; may be empty */
	char refused[SEPARATE_DEBUG_FILES_PATH_MAX];
	bool has_dwarf; /* the file contains DWARF itself, so no debug file is searched for */
	const char *debug_name;
	/*
	 * Newline-terminated paths at which no debug file exists, and the number of further paths
	 * that did not fit.
	 */
	char absent[SEPARATE_DEBUG_FILES_ABSENT_MAX];
	unsigned absent_more;
	bool wants_alt;
	/* NUL-terminated name in .gnu_debugaltlink; set if `wants_alt` is true */
	struct cairn_bytes alt_name;
	struct cairn_bytes alt_id;

	pthread_mutex_t lock;
	struct separate_debug_files_dwo {
		struct separate_debug_files_dwo *next;
		struct separate_debug_file file;
		struct cairn_bytes directory, name;
	} * splits;
};

/*
 * Find the files that belong to the file `path` with the contents `bytes`. All arguments are
 * borrowed.
 */
void separate_debug_files_find_by(struct separate_debug_files *separate, const char *path,
                                  struct cairn_bytes bytes,
                                  const struct separate_debug_rules *rules);

/* Find the files of a module if only its build ID and its name, `path`, are known. */
void separate_debug_files_find_by_id(struct separate_debug_files *separate, const char *path,
                                     struct cairn_bytes build_id,
                                     const struct separate_debug_rules *rules);

/*
 * Use a debug file that the caller found. Returns false if a debug file has been found already, or
 * if this one is from a different build or unreadable.
 */
bool separate_debug_files_give(struct separate_debug_files *separate, const char *path,
                               struct cairn_bytes build_id);

void separate_debug_files_list_absent(const struct separate_debug_files *separate,
                                      char text[SEPARATE_DEBUG_FILES_LIST_MAX]);
#define SEPARATE_DEBUG_FILES_ABSENT \
	"its debug file is at none of these paths; --directory DIR also searches DIR"
void separate_debug_files_finish(struct separate_debug_files *separate);

/*
 * Return the contents of a .dwo file, or empty bytes if it is not found. Thread-safe. The bytes
 * stay valid until separate_debug_files_finish().
 */
struct cairn_bytes separate_debug_files_dwo(struct separate_debug_files *separate,
                                            struct cairn_bytes directory, struct cairn_bytes name);

#endif
