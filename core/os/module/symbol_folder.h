/* SPDX-License-Identifier: MIT */
/*
 * GSYM files that are found by their build ID, whatever they are called: `srv.debug.gsym` beside `srv`.
 *
 *	struct symbol_folder_search search = symbol_folder_search(binary, build_id, "DIR:DIR");
 *	while (symbol_folder_next(&search))
 *		... search.path
 *
 * The folder of the binary is looked through, then each that was given.  Of a folder SYMBOL_FOLDER_FILES files are opened,
 * to read their build IDs: those whose names end in ".gsym" before all others, and each kind by name.  What was found is kept until the
 * folder changes, so that a folder is read once, however many modules are asked for.  Any thread may do so.
 */
#ifndef CAIRN_OS_MODULE_SYMBOL_FOLDER_H
#define CAIRN_OS_MODULE_SYMBOL_FOLDER_H

#include "symbol_path.h"

enum { SYMBOL_FOLDER_FILES = 64 };

struct symbol_folder_search {
	const char *binary;
	struct cairn_bytes build_id;
	const char *directories; /* that are still to come; NULL for none */
	bool is_begun;
	size_t at;     /* the next file of the folder */
	size_t folder; /* bytes of the folder's name in `path`; 0: none is being looked through */
	char path[SYMBOL_PATH_MAX];
};

struct symbol_folder_search symbol_folder_search(const char *binary, struct cairn_bytes build_id,
                                                 const char *directories);

/* The next file of this build, in search->path; false at the end. */
bool symbol_folder_next(struct symbol_folder_search *search);

#endif
