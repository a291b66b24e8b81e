/* SPDX-License-Identifier: MIT */
/*
 * The names of files of a module: in trees and stores of build IDs, and the places where a file of symbols for a binary may be, best
 * first:
 *
 *	BINARY.gsym                         beside it
 *	DIR/NAME.gsym                       for each directory that was given
 *	the tree of build IDs in DIR        for each of them
 *	the store of build IDs in DIR       for each of them
 *	DIR/abcdef0123.gsym                 for each of them
 *	the tree of build IDs in /usr/lib/debug
 *	CACHE/cairn/abcdef0123.debuginfod.gsym
 *	CACHE/cairn/abcdef0123.gsym         CACHE is $XDG_CACHE_HOME or ~/.cache
 *
 * and the same with other extensions, without the last place but one. These are names; whether a file is there and belongs to the
 * binary is for the caller to see. locate/symbol_files.h also finds files of other names.
 */
#ifndef CAIRN_OS_MODULE_SYMBOL_PATH_H
#define CAIRN_OS_MODULE_SYMBOL_PATH_H

#include <cairn.h>

/* Where packages of debug files put them. */
#define SYSTEM_DEBUG_FOLDER "/usr/lib/debug"

/* The extension of what `cairn gsym fetch` makes; it knows more than what was made of the program alone. */
#define SYMBOL_PATH_FETCHED "debuginfod.gsym"

enum {
	SYMBOL_PATH_MAX = 4096,
	BUILD_ID_PATH_MAX = SYMBOL_PATH_MAX,
	BUILD_ID_MAX = 64,                        /* bytes; the longest in use have 32 */
	BUILD_ID_TEXT_MAX = 2 * BUILD_ID_MAX + 1, /* in hexadecimal, with the NUL */
};

/* Write the build ID in hexadecimal. Return false if it is too short or too long for a name. */
bool build_id_text(struct cairn_bytes build_id, char text[BUILD_ID_TEXT_MAX]);

/*
 * Do what cairn_build_id_path() does, without the dot if `extension` is empty. `length` bytes of `folder` count. Return false if the
 * build ID has no path, or the path does not fit into `size` bytes.
 */
bool build_id_path(char *path, size_t size, const char *folder, size_t length,
                   struct cairn_bytes build_id, const char *extension);

struct symbol_path {
	const char *binary;
	struct cairn_bytes build_id; /* may be empty */
	const char *directories;     /* DIR:DIR...; NULL for none */
	const char *extension;       /* "gsym", or "" for the program itself */
	bool no_cache;               /* skip the last two places */
	bool no_system;              /* skip /usr/lib/debug */
	bool is_system;              /* `path` is in /usr/lib/debug */
	char path[SYMBOL_PATH_MAX];

	/* private */
	const unsigned char *stage;
	const char *rest;         /* of the directories, in this stage */
	struct cairn_bytes store; /* a directory of which the store comes next */
};

struct symbol_path symbol_path(const char *binary, struct cairn_bytes build_id,
                               const char *directories, const char *extension);

/* Gives only the places that an ID names, not the binary: for files that do not tell what they belong to. */
struct symbol_path symbol_path_by_id(const char *binary, struct cairn_bytes id,
                                     const char *directories, const char *extension);

/* Gives the last of these places alone: for files that are known by another ID than the build's. */
struct symbol_path symbol_path_cached(struct cairn_bytes id, const char *extension);

/* Gives the tree and the store of each directory, and then the tree of the system. */
struct symbol_path build_id_trees(const char *directories, struct cairn_bytes build_id,
                                  const char *extension);

/* Write the next name to search->path. Names that would be too long are left out. Return false at the end. */
bool symbol_path_next(struct symbol_path *search);

#endif
