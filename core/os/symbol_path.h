/* SPDX-License-Identifier: MIT */
/*
 * Names of a module's files in trees and stores of build IDs, and the candidates for its symbol
 * file, best first:
 *
 *	BINARY.gsym                         beside it
 *	DIR/NAME.gsym                       for each directory that was given
 *	the tree of build IDs in DIR        for each such directory
 *	the store of build IDs in DIR       for each such directory
 *	DIR/abcdef0123.gsym                 for each such directory
 *	the tree of build IDs in /usr/lib/debug
 *	CACHE/cairn/abcdef0123.debuginfod.gsym
 *	CACHE/cairn/abcdef0123.gsym         CACHE is $XDG_CACHE_HOME or ~/.cache
 *
 * Files with other extensions have the same candidates, except the last but one. The functions only
 * produce names; the caller checks whether the file exists and belongs to the binary.
 * locate/symbol_files.h also finds files of other names.
 */
#ifndef CAIRN_OS_SYMBOL_PATH_H
#define CAIRN_OS_SYMBOL_PATH_H

#include <cairn.h>

#define SYSTEM_DEBUG_FOLDER "/usr/lib/debug"

/*
 * Extension of files made by `cairn gsym fetch`. They contain more than files made from the program
 * alone.
 */
#define SYMBOL_PATH_FETCHED "debuginfod.gsym"

enum {
	SYMBOL_PATH_MAX = 4096,
	BUILD_ID_PATH_MAX = SYMBOL_PATH_MAX,
	BUILD_ID_MAX = 64, /* bytes; the longest IDs in use have 32 */
	BUILD_ID_TEXT_MAX = 2 * BUILD_ID_MAX + 1,
};

/* Write the build ID in hexadecimal. Returns false if it is too short or too long for a name. */
bool build_id_text(struct cairn_bytes build_id, char text[BUILD_ID_TEXT_MAX]);

/*
 * Write the path as cairn_build_id_path() does, without the dot if `extension` is empty. `directory`
 * has `length` bytes. Returns false if the build ID has no path, or the path does not fit into
 * `size` bytes.
 */
bool build_id_path(char *path, size_t size, const char *directory, size_t length,
                   struct cairn_bytes build_id, const char *extension);

struct symbol_path {
	const char *binary;
	struct cairn_bytes build_id; /* may be empty */
	const char *directories;     /* DIR:DIR...; may be NULL */
	const char *extension;       /* "gsym", or "" for the program itself */
	bool no_cache;               /* skip the last two candidates */
	bool no_system;
	bool is_system;
	char path[SYMBOL_PATH_MAX];

	/* private */
	const unsigned char *stage;
	const char *rest;         /* rest of `directories` in this stage */
	struct cairn_bytes store; /* directory whose store is the next candidate */
};

struct symbol_path symbol_path(const char *binary, struct cairn_bytes build_id,
                               const char *directories, const char *extension);

/*
 * Begin a search of the candidates that contain an ID, for files that do not record which binary
 * they belong to.
 */
struct symbol_path symbol_path_by_id(const char *binary, struct cairn_bytes id,
                                     const char *directories, const char *extension);

/* Begin a search of the last candidate alone, for files known by an ID other than the build ID. */
struct symbol_path symbol_path_cached(struct cairn_bytes id, const char *extension);

/*
 * Begin a search of the tree and the store of each directory, followed by the tree of the system.
 */
struct symbol_path build_id_trees(const char *directories, struct cairn_bytes build_id,
                                  const char *extension);

/*
 * Write the next candidate to search->path. Skips names that are too long. Returns false at the
 * end.
 */
bool symbol_path_next(struct symbol_path *search);

#endif
