/* SPDX-License-Identifier: MIT */
/*
 * Finds the files that belong to an ELF file: the debug file (.gnu_debuglink, build ID trees), the
 * dwz file that several programs share (.gnu_debugaltlink), and split DWARF (.dwo, .dwp). Only this
 * machine is searched, no server.
 *
 * A file must prove that it belongs, by its build ID or, if the ELF file has no build ID, by the
 * checksum of the link. A file from another build is skipped, and its name kept to be reported.
 *
 *	const struct separate_debug_rules rules = { .folders = "/srv/debug" };
 *	struct separate_debug_files halves;
 *	separate_debug_files_find_by(&halves, path, bytes, &rules);
 *	... halves.debug.bytes, halves.alt.bytes, halves.package.bytes: empty if not found
 *	dwo = separate_debug_files_dwo(&halves, directory, name);     from any thread
 *	separate_debug_files_finish(&halves);
 */
#ifndef CAIRN_LOCATE_SEPARATE_DEBUG_FILES_H
#define CAIRN_LOCATE_SEPARATE_DEBUG_FILES_H

#include "os/file/file.h"

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

/* Directories to search, and conditions to accept a file. Initialize with zeros. */
struct separate_debug_rules {
	const char *folders; /* debug directories, DIR:DIR..., searched before the system's */
	bool no_system_folders;
	bool any_build;                         /* accept any file in the right location */
	bool only_folders;                      /* do not follow paths that the files contain */
	const struct cairn_file_access *access; /* NULL to open files like os_file_open_regular() */
};

struct separate_debug_files {
	const char *path;
	struct separate_debug_rules rules;
	struct separate_debug_file debug, alt, package;
	/* a file from another build that was found, or empty */
	char refused[SEPARATE_DEBUG_FILES_PATH_MAX];
	bool has_dwarf;         /* the file itself has DWARF; no debug file is searched */
	const char *debug_name; /* file name in .gnu_debuglink, or NULL */
	/*
	 * Paths at which no debug file was found, each followed by a newline, and the number of
	 * paths that did not fit.
	 */
	char absent[SEPARATE_DEBUG_FILES_ABSENT_MAX];
	unsigned absent_more;
	bool wants_alt;
	/* name in .gnu_debugaltlink, NUL-terminated; set if `wants_alt` */
	struct cairn_bytes alt_name;
	struct cairn_bytes alt_id; /* build ID in .gnu_debugaltlink; may be empty */

	pthread_mutex_t lock; /* protects `splits` */
	struct separate_debug_files_dwo {
		struct separate_debug_files_dwo *next;
		struct separate_debug_file file;
		struct cairn_bytes directory, name;
	} * splits;
};

/* Find the files of `path`, which has the contents `bytes`. All arguments are borrowed. */
void separate_debug_files_find_by(struct separate_debug_files *halves, const char *path,
                                  struct cairn_bytes bytes,
                                  const struct separate_debug_rules *rules);

/* Find the files of a module of which only the build ID is known. `path` is its name. */
void separate_debug_files_find_by_id(struct separate_debug_files *halves, const char *path,
                                     struct cairn_bytes build_id,
                                     const struct separate_debug_rules *rules);

/*
 * Use a debug file that the caller found, unless one was found before. Returns false if it is from
 * another build or cannot be read.
 */
bool separate_debug_files_give(struct separate_debug_files *halves, const char *path,
                               struct cairn_bytes build_id);

/* Write the list of paths in `absent` for a message. */
void separate_debug_files_list_absent(const struct separate_debug_files *halves,
                                      char text[SEPARATE_DEBUG_FILES_LIST_MAX]);
#define SEPARATE_DEBUG_FILES_ABSENT \
	"its debug file is at none of these paths; --directory DIR also searches DIR"
void separate_debug_files_finish(struct separate_debug_files *halves);

/* Return a .dwo file, or empty bytes. Thread-safe. Valid until separate_debug_files_finish(). */
struct cairn_bytes separate_debug_files_dwo(struct separate_debug_files *halves,
                                            struct cairn_bytes directory, struct cairn_bytes name);

#endif
