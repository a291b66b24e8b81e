/* SPDX-License-Identifier: MIT */
/*
 * A store as a folder: a file gets its names there whole or not at all, and what is there can be looked through. Two processes may add at a time.
 *
 *	int error = store_put(folder, key, bytes, false, &outcome);
 *	error = store_walk(folder, visit, context);
 */
#ifndef CAIRN_OS_STORE_STORE_FOLDER_H
#define CAIRN_OS_STORE_STORE_FOLDER_H

#include "store_key.h"

enum store_outcome {
	STORE_ADDED,
	STORE_SAME, /* the same bytes are there */
	STORE_REPLACED,
	STORE_DIFFERS, /* other bytes are there, which stay */
};

/* 0 or an errno value. What is there with other bytes is replaced only if `replace` is set. */
CAIRN_MUST_USE int store_put(const char *folder, const char *key, struct cairn_bytes bytes,
                             bool replace, enum store_outcome *outcome);

/*
 * Calls visit() for each file with its path below the folder, such as a key; also for what is not three names deep, and so has no key. Returns 0 or an
 * errno value of the folder.
 */
CAIRN_MUST_USE int store_walk(const char *folder, void (*visit)(void *context, const char *path),
                              void *context);

#endif
