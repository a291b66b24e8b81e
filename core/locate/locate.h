/* SPDX-License-Identifier: MIT */
/*
 * The search for the file of a module: its program or library, or its Breakpad file in a store of such files. The caller
 * names the places and their order; a file counts if its build ID proves that it belongs to the module.
 *
 *	static const enum locate_place order[] = { LOCATE_PATH, LOCATE_TREES, LOCATE_END };
 *	struct locate_search search = { .order = order, .path = name, .build_id = id };
 *	struct located found;
 *	if (locate_file(&search, &found))
 *		... found.file.bytes, found.path
 *	located_close(&found);
 *
 * Only files that are looked at here are opened; files of symbols are opened by those who read them.
 */
#ifndef CAIRN_LOCATE_LOCATE_H
#define CAIRN_LOCATE_LOCATE_H

#include "os/file/file.h"
#include "os/module/symbol_path.h"

enum { LOCATE_PATH_MAX = SYMBOL_PATH_MAX };

enum locate_place {
	LOCATE_END,
	LOCATE_GIVEN, /* files that the user named, most of which belong to other modules */
	LOCATE_KEPT,  /* a descriptor that was opened while the process was still there */
	LOCATE_MAPPED, /* a running process: the file that it has mapped, then its path as it sees it */
	LOCATE_PATH,    /* the module's absolute path below the sysroot */
	LOCATE_NAME,    /* the same, also of a relative path */
	LOCATE_LIBRARY, /* a name without a path, in the directories and those of the dynamic linker */
	LOCATE_TREES, /* trees and stores of build IDs in the directories, then in that of the system */
	LOCATE_FETCHED, /* a path that the caller has from elsewhere, such as debuginfod */
};

/* Begins with zeros; everything is borrowed. */
struct locate_search {
	const enum locate_place *order; /* up to LOCATE_END */
	struct cairn_bytes path, build_id;
	const char *const *given; /* for LOCATE_GIVEN */
	size_t given_count;
	const char *sysroot;                    /* NULL: none */
	const char *directories;                /* "DIR:DIR"; NULL: none */
	bool no_system;                         /* skip directories of the system */
	bool any_build;                         /* any ELF file belongs */
	const struct cairn_file_access *access; /* opens files; may be NULL */
	/*
	 * Return the reason why a file does not belong to the module, or NULL if it does. Replaces the comparison of build IDs, for a
	 * caller that knows more of a module than its build ID.
	 */
	const char *(*judge)(void *context, struct cairn_bytes file);
	int (*kept)(void *context); /* for LOCATE_KEPT: a descriptor to be closed, or -1 */
	bool (*fetch)(void *context, char *path, size_t size); /* for LOCATE_FETCHED */
	void *context;
	uint64_t pid, low, high; /* for LOCATE_MAPPED: the process, and a mapping of the file */
};

struct located {
	struct os_file file;
	char *path; /* owned; NULL: nothing was found */
	/* The reason of the last refusal, and whether any file was from another build; those for LOCATE_GIVEN are not counted. */
	const char *refused;
	bool other_build;
};

/* Search for the file of a module. Return false, with found->path NULL, if there is none. */
bool locate_file(const struct locate_search *search, struct located *found);

/*
 * Search the directories for DIR/NAME/ID/NAME.sym, as stores of Breakpad files have it; the extension .pdb of a name is left out at the end.
 * The file must hold the ID.
 */
bool locate_breakpad(const char *directories, const struct cairn_file_access *access,
                     struct cairn_bytes name, struct cairn_bytes id, struct located *found);

/* Close the file and free the path. All zeros are allowed. */
void located_close(struct located *found);

/* Write the path of a file below the sysroot (NULL: none). Return false if it is not absolute, or too long. */
bool locate_path(const char *sysroot, struct cairn_bytes path, char out[LOCATE_PATH_MAX]);

#endif
