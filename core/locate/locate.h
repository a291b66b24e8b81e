/* SPDX-License-Identifier: MIT */
/*
 * Searches for the file of a module: its program or library, or its Breakpad file in a symbol
 * store. The caller lists the places to search, in order of preference. A file is accepted if its
 * build ID proves that it belongs to the module.
 *
 *	static const enum locate_place order[] = { LOCATE_PATH, LOCATE_TREES, LOCATE_END };
 *	struct locate_search search = { .order = order, .path = name, .build_id = id };
 *	struct located found;
 *	if (locate_file(&search, &found))
 *		... found.file.bytes, found.path
 *	located_close(&found);
 *
 * For other symbol files, see symbol_files.h.
 */
#ifndef CAIRN_LOCATE_LOCATE_H
#define CAIRN_LOCATE_LOCATE_H

#include "os/file.h"
#include "os/symbol_path.h"

#include <cairn.h>

#include <sys/stat.h>

enum { LOCATE_PATH_MAX = SYMBOL_PATH_MAX };

enum locate_place {
	LOCATE_END,
	LOCATE_GIVEN, /* files that the user listed; most belong to other modules */
	LOCATE_KEPT,  /* descriptor opened while the process still existed */
	/* the mapped file of a running process, or its path below the root of the process */
	LOCATE_MAPPED,
	LOCATE_PATH, /* absolute path of the module, below the sysroot */
	LOCATE_NAME, /* path of the module, absolute or relative, below the sysroot */
	/* bare file name in `directories` and in the dynamic linker's directories */
	LOCATE_LIBRARY,
	/* build-ID trees and stores in `directories`, then in the system's directories */
	LOCATE_TREES,
	/* path that the caller obtained, for example from debuginfod */
	LOCATE_FETCHED,
};

/* Parameters of a search. All pointers are borrowed. Initialize with zeros. */
struct locate_search {
	const enum locate_place *order;
	struct cairn_bytes path, build_id;
	const char *const *given;
	size_t given_count;
	const char *sysroot;
	const char *directories; /* colon-separated list; may be NULL */
	bool no_system;
	bool any_build;                         /* accept ELF files with a different build ID */
	const struct cairn_file_access *access; /* file functions of the host; may be NULL */
	/*
	 * Returns the reason why a file does not belong to the module, or NULL if it does. If set,
	 * this callback replaces the comparison of build IDs, for callers that know more about the
	 * module.
	 */
	const char *(*judge)(void *context, struct cairn_bytes file);
	/*
	 * returns a descriptor for LOCATE_KEPT, or -1; locate_file() closes the descriptor after
	 * use
	 */
	int (*kept)(void *context);
	bool (*fetch)(void *context, char *path, size_t size);
	void *context;
	/* process ID, and address range of the mapping, for LOCATE_MAPPED */
	uint64_t pid, low, high;
};

struct located {
	struct os_file file;
	char *path; /* owned; NULL if not found */
	/*
	 * Reason for the last rejection, and whether a file from a different build was found.
	 * LOCATE_GIVEN sets neither, because most of the given files belong to other modules.
	 */
	const char *refused;
	bool other_build;
};

/*
 * Search for the file of a module. Returns false and sets found->path to NULL if no file belongs to
 * the module.
 */
bool locate_file(const struct locate_search *search, struct located *found);

/*
 * Search the directories for DIR/NAME/ID/NAME.sym, the layout of Breakpad stores, where NAME.sym
 * drops a .pdb extension. Accepts a file only if it contains the ID.
 */
bool locate_breakpad(const char *directories, const struct cairn_file_access *access,
                     struct cairn_bytes name, struct cairn_bytes id, struct located *found);

void located_close(struct located *found);

/*
 * Write the absolute `path` to `out`, prefixed with `sysroot` unless that is NULL or `path` already
 * begins with it, as the paths of a process in a chroot do if they were recorded outside. Returns
 * false if `path` is relative or contains a NUL, or if the result is too long.
 */
bool locate_path(const char *sysroot, struct cairn_bytes path, char out[LOCATE_PATH_MAX]);

/*
 * Reads only the parts of an ELF file that identify it. Processes that must not map files (see
 * file.h) would otherwise copy gigabytes of debug information to read a build ID.
 */

/*
 * A buffer of the same size as the file, filled with zeros except for the parts that have been
 * read. The zeros occupy address space but no memory.
 */
struct os_sparse {
	struct cairn_bytes bytes;
};

/*
 * Open a file and read the parts that cairn_program_next_part() requests. Returns 0 or an errno
 * value; EINVAL if it is not a regular file.
 */
CAIRN_MUST_USE int os_sparse_open(const char *path, struct os_sparse *file);

/*
 * Fill `file` from an open regular file, as os_sparse_open() does. The caller keeps the descriptor.
 */
CAIRN_MUST_USE int os_sparse_fill(int fd, const struct stat *about, struct os_sparse *file);

/* Read one more range of file offsets. Returns 0 or an errno value. */
CAIRN_MUST_USE int os_sparse_read(const struct os_sparse *file, int fd, struct cairn_range part);
void os_sparse_close(struct os_sparse *file);

#endif
