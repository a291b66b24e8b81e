/* SPDX-License-Identifier: MIT */
/*
 * The places where a file of symbols for a binary may be, best first:
 *
 *	BINARY.gsym                         beside it
 *	DIR/NAME.gsym                       for each directory that was given
 *	the tree of build IDs in DIR        for each of them
 *	DIR/abcdef0123.gsym                 for each of them
 *	the tree of build IDs in /usr/lib/debug
 *	CACHE/cairn/abcdef0123.debuginfod.gsym
 *	CACHE/cairn/abcdef0123.gsym         CACHE is $XDG_CACHE_HOME or ~/.cache
 *
 * and the same with other extensions, without the last place but one.
 *
 * locate/symbol_files.h finds files of other names.  This gives names only; whether a file is there and belongs to the binary is for the
 * caller to see.
 */
#ifndef CAIRN_OS_MODULE_SYMBOL_PATH_H
#define CAIRN_OS_MODULE_SYMBOL_PATH_H

#include <cairn.h>

enum { SYMBOL_PATH_MAX = 4096 };

/* The extension of what `cairn gsym fetch` makes; it knows more than what was made of the program alone. */
#define SYMBOL_PATH_FETCHED "debuginfod.gsym"

struct symbol_path {
	const char *binary;
	struct cairn_bytes build_id; /* may be empty */
	const char *directories;     /* DIR:DIR...; NULL for none */
	const char *extension;       /* "gsym" */
	bool no_cache;               /* skip the last two places */
	bool no_system;              /* skip /usr/lib/debug */
	unsigned stage;
	const char *rest; /* of the directories, in this stage */
	char path[SYMBOL_PATH_MAX];
};

struct symbol_path symbol_path(const char *binary, struct cairn_bytes build_id,
                               const char *directories, const char *extension);

/* Gives only the places that an ID names, not the binary: for files that do not tell what they belong to. */
struct symbol_path symbol_path_by_id(const char *binary, struct cairn_bytes id,
                                     const char *directories, const char *extension);

/* Gives the last of these places alone: for files that are known by another ID than the build's. */
struct symbol_path symbol_path_cached(struct cairn_bytes id, const char *extension);

/* The next name, in search->path; false at the end.  Names that would be too long are left out. */
bool symbol_path_next(struct symbol_path *search);

/* The places where a library may be that only its name is known of, as Crashpad and systemd give it: its SONAME. */
struct library_path {
	struct cairn_bytes name;
	const char *directories; /* DIR:DIR...; NULL for none */
	const char *sysroot;     /* before the directories of the system; NULL for none */
	bool no_system;          /* without these */
	unsigned at;
	char path[SYMBOL_PATH_MAX];
};

/*
 * Write the next place to search->path: in each of the given directories, then in those of the dynamic linker. Return false at the
 * end, and for a name that is a path. Whether a file is there, and of the build that is wanted, is for the caller to see.
 */
bool library_path_next(struct library_path *search);

#endif
