/* SPDX-License-Identifier: MIT */
/*
 * Searches for the file of a module: its program or library, or its Breakpad file in a symbol
 * store. The caller specifies the places and their order. A file is accepted if its build ID proves
 * that it belongs to the module.
 *
 *	static const enum locate_place order[] = { LOCATE_PATH, LOCATE_TREES, LOCATE_END };
 *	struct locate_search search = { .order = order, .path = name, .build_id = id };
 *	struct located found;
 *	if (locate_file(&search, &found))
 *		... found.file.bytes, found.path
 *	located_close(&found);
 *
 * Does not open symbol files, which their readers search themselves.
 */
#ifndef CAIRN_LOCATE_LOCATE_H
#define CAIRN_LOCATE_LOCATE_H

#include "os/file/file.h"
#include "os/symbol_path.h"

#include <cairn.h>

#include <sys/stat.h>

enum { LOCATE_PATH_MAX = SYMBOL_PATH_MAX };

enum locate_place {
	LOCATE_END,
	LOCATE_GIVEN, /* files that the user named; most belong to other modules */
	LOCATE_KEPT,  /* a descriptor opened while the process still existed */
	/* running process: the mapped file, then its path in the process's root */
	LOCATE_MAPPED,
	LOCATE_PATH, /* the module's absolute path below the sysroot */
	LOCATE_NAME, /* like LOCATE_PATH, including relative paths */
	/* a bare file name, in `directories` and the dynamic linker's directories */
	LOCATE_LIBRARY,
	/* build ID trees and stores in `directories`, then the system's */
	LOCATE_TREES,
	/* a path obtained by the caller, for example from debuginfod */
	LOCATE_FETCHED,
};

/* Parameters of a search. All are borrowed. Initialize with zeros. */
struct locate_search {
	const enum locate_place *order; /* terminated by LOCATE_END */
	struct cairn_bytes path, build_id;
	const char *const *given;
	size_t given_count;
	const char *sysroot;     /* may be NULL */
	const char *directories; /* "DIR:DIR"; may be NULL */
	bool no_system;
	bool any_build;                         /* accept any ELF file */
	const struct cairn_file_access *access; /* opens files; may be NULL */
	/*
	 * Returns why a file does not belong to the module, or NULL if it does. If set, replaces
	 * the comparison of build IDs, for callers that know more about a module.
	 */
	const char *(*judge)(void *context, struct cairn_bytes file);
	/* returns a descriptor for LOCATE_KEPT, which is closed after use, or -1 */
	int (*kept)(void *context);
	bool (*fetch)(void *context, char *path, size_t size);
	void *context;
	uint64_t pid, low, high; /* process and mapping for LOCATE_MAPPED */
};

struct located {
	struct os_file file;
	char *path; /* owned; NULL if nothing was found */
	/*
	 * Reason of the last rejection, and whether a file from another build was found.
	 * LOCATE_GIVEN does not set them.
	 */
	const char *refused;
	bool other_build;
};

/* Search for the file of a module. Returns false, with found->path NULL, if it is not found. */
bool locate_file(const struct locate_search *search, struct located *found);

/*
 * Search the directories for DIR/NAME/ID/NAME.sym, the layout of Breakpad stores. A .pdb extension
 * of NAME is omitted in NAME.sym. The file must contain the ID.
 */
bool locate_breakpad(const char *directories, const struct cairn_file_access *access,
                     struct cairn_bytes name, struct cairn_bytes id, struct located *found);

/* Close the file and free the path. `found` may be all zeros. */
void located_close(struct located *found);

/*
 * Write the path of a file below the sysroot, which may be NULL. Returns false if `path` is not
 * absolute or the result is too long.
 */
bool locate_path(const char *sysroot, struct cairn_bytes path, char out[LOCATE_PATH_MAX]);

/*
 * Reads only the parts of an ELF file that identify it. This is for processes that must not map
 * files (file.h) and should not copy gigabytes of debugging information only to read a build ID.
 */

/*
 * A buffer of the file's size that is zero except for the parts that were read. The zeros occupy
 * address space but no memory.
 */
struct os_sparse {
	struct cairn_bytes bytes;
};

/*
 * Open a file and read the parts named by cairn_program_next_part(). Returns 0 or an errno value;
 * EINVAL if it is not a regular file.
 */
CAIRN_MUST_USE int os_sparse_open(const char *path, struct os_sparse *file);

/* Like os_sparse_open(), for an open regular file. The caller keeps the descriptor. */
CAIRN_MUST_USE int os_sparse_fill(int fd, const struct stat *about, struct os_sparse *file);

/* Read another part of the file, given by offsets. Returns 0 or an errno value. */
CAIRN_MUST_USE int os_sparse_read(const struct os_sparse *file, int fd, struct cairn_range part);
void os_sparse_close(struct os_sparse *file);

#endif
