/* SPDX-License-Identifier: MIT */
/* The one place that knows where a tree of build IDs has the files of a build. */
#ifndef CAIRN_OS_MODULE_BUILD_ID_PATH_H
#define CAIRN_OS_MODULE_BUILD_ID_PATH_H

#include <cairn.h>

/* Where packages of debug files put them. */
#define SYSTEM_DEBUG_FOLDER "/usr/lib/debug"

enum {
	BUILD_ID_MAX = 64,                        /* bytes; the longest in use have 32 */
	BUILD_ID_TEXT_MAX = 2 * BUILD_ID_MAX + 1, /* in hexadecimal, with the NUL */
};

/* Writes the build ID in hexadecimal; false if it is too short or too long for a name. */
bool build_id_text(struct cairn_bytes build_id, char text[BUILD_ID_TEXT_MAX]);

enum { BUILD_ID_PATH_MAX = 4096 };

/* The places of one build in several trees. */
struct build_id_trees {
	struct cairn_bytes build_id;
	const char *extension; /* as in build_id_path() */
	const char *rest;      /* folders that are still to come */
	const char *store; /* the folder whose tree came last, in `store_size` bytes; NULL: none */
	size_t store_size;
	bool is_last; /* the system's tree was reached */
	char path[BUILD_ID_PATH_MAX];
};

/* The trees and stores in `folders` ("DIR:DIR", may be NULL), and after them the tree of the system, unless is_last is set; all is borrowed. */
struct build_id_trees build_id_trees(const char *folders, struct cairn_bytes build_id,
                                     const char *extension);

/* The next place, in trees->path; false at the end. */
bool build_id_trees_next(struct build_id_trees *trees);

/*
 * Does what cairn_build_id_path() does: without the dot if `extension` is empty.  `length` bytes of
 * `folder` count.  Returns false if the build ID has no path, or the path does not fit into `size` bytes.
 */
bool build_id_path(char *path, size_t size, const char *folder, size_t length,
                   struct cairn_bytes build_id, const char *extension);

/*
 * The same in a store (os/store), FOLDER/buildid/ID/KIND: "debuginfo" has the extension "debug", "executable" has none, and "gsym" and "sframe" have
 * their own.  False for any other.
 */
bool build_id_store_path(char *path, size_t size, const char *folder, size_t length,
                         struct cairn_bytes build_id, const char *extension);

#endif
