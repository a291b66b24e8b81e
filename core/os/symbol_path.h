/* SPDX-License-Identifier: MIT */
/*
 * Generates the names of a module's files in build-ID trees and stores, and lists the candidates
 * for its symbol file, best first:
 *
 *	BINARY.gsym                         beside the binary
 *	DIR/NAME.gsym                       for each DIR that the caller specified
 *	the build-ID tree in DIR            for each DIR
 *	the build-ID store in DIR           for each DIR
 *	DIR/abcdef0123.gsym                 for each DIR
 *	the build-ID tree in /usr/lib/debug
 *	CACHE/cairn/abcdef0123.debuginfod.gsym
 *	CACHE/cairn/abcdef0123.gsym         CACHE is $XDG_CACHE_HOME or ~/.cache
 *
 * Files with other extensions have the same candidates, except for CACHE/cairn/ID.debuginfod.gsym.
 * The functions only generate paths; the caller checks whether the file exists and belongs to the
 * binary. locate/symbol_files.h also finds files with other names.
 */
#ifndef CAIRN_OS_SYMBOL_PATH_H
#define CAIRN_OS_SYMBOL_PATH_H

#include <cairn.h>

#define SYSTEM_DEBUG_DIRECTORY "/usr/lib/debug"

/*
 * Extension of files created by `cairn gsym fetch`. They contain more information than files
 * created from the program alone.
 */
#define SYMBOL_PATH_FETCHED "debuginfod.gsym"

enum {
	SYMBOL_PATH_MAX = 4096,
	BUILD_ID_PATH_MAX = SYMBOL_PATH_MAX,
	BUILD_ID_MAX = 64, /* maximum size in bytes; the longest IDs in use have 32 */
	BUILD_ID_TEXT_MAX = 2 * BUILD_ID_MAX + 1,
};

/*
 * Write the build ID in hexadecimal. Returns false if the ID is too short or too long for a file
 * name.
 */
bool build_id_text(struct cairn_bytes build_id, char text[BUILD_ID_TEXT_MAX]);

/*
 * Write the same path as cairn_build_id_path(), but without the dot if `extension` is empty.
 * `directory` has `length` bytes. Returns false if the build ID is unsuitable or the path exceeds
 * `size` bytes.
 */
bool build_id_path(char *path, size_t size, const char *directory, size_t length,
                   struct cairn_bytes build_id, const char *extension);

struct symbol_path {
	const char *binary;
	struct cairn_bytes build_id;
	const char *directories; /* colon-separated list; may be NULL */
	const char *extension;   /* "gsym", or "" for the program itself */
	bool no_cache;
	bool no_system;
	bool is_system;
	char path[SYMBOL_PATH_MAX];

	/* private */
	const unsigned char *stage;
	const char *rest;         /* directories that the current search stage has not tried yet */
	struct cairn_bytes store; /* directory whose store contains the next candidate */
};

struct symbol_path symbol_path(const char *binary, struct cairn_bytes build_id,
                               const char *directories, const char *extension);

/*
 * Begin a search of the candidates whose paths contain an ID, for formats that do not record their
 * binary.
 */
struct symbol_path symbol_path_by_id(const char *binary, struct cairn_bytes id,
                                     const char *directories, const char *extension);

/* Begin a search of CACHE only, for files identified by an ID other than the build ID. */
struct symbol_path symbol_path_cached(struct cairn_bytes id, const char *extension);

/*
 * Begin a search of the build-ID tree and the store in each directory, then of the system's tree.
 */
struct symbol_path build_id_trees(const char *directories, struct cairn_bytes build_id,
                                  const char *extension);

/*
 * Write the next candidate to search->path, skipping paths that are too long. Returns false after
 * the last candidate.
 */
bool symbol_path_next(struct symbol_path *search);

#endif
