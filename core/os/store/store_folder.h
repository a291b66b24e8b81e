/* SPDX-License-Identifier: MIT */
/*
 * A store in a directory. Files appear in it atomically, and its contents can be enumerated. Two
 * processes may add files at a time.
 *
 *	int error = store_put(folder, key, bytes, false, &outcome);
 *	error = store_walk(folder, visit, context);
 */
#ifndef CAIRN_OS_STORE_STORE_FOLDER_H
#define CAIRN_OS_STORE_STORE_FOLDER_H

#include "store_key.h"

enum store_outcome {
	STORE_ADDED,
	STORE_SAME, /* the same bytes exist */
	STORE_REPLACED,
	STORE_DIFFERS, /* other bytes exist and are kept */
};

/*
 * Add a file. Existing files with other bytes are replaced only if `replace` is set. Returns 0 or
 * an errno value.
 */
CAIRN_MUST_USE int store_put(const char *folder, const char *key, struct cairn_bytes bytes,
                             bool replace, enum store_outcome *outcome);

/*
 * Call visit() for each file with its path relative to the directory, such as a key. Files that are
 * not three names deep, and so have no key, are visited too. Returns 0 or the errno value of
 * opening `folder`.
 */
CAIRN_MUST_USE int store_walk(const char *folder, void (*visit)(void *context, const char *path),
                              void *context);

#endif
