/* SPDX-License-Identifier: MIT */
/*
 * The folder of files that were made once and can be made again: $XDG_CACHE_HOME/cairn, or
 * ~/.cache/cairn.  Files of one kind have one extension, and names of hexadecimal digits; nothing
 * else there is listed or removed.
 */
#ifndef CAIRN_OS_CACHE_CACHE_H
#define CAIRN_OS_CACHE_CACHE_H

#include <cairn.h>

enum { OS_CACHE_PATH = 4096 };

/* The folder's name, whether or not it is there; false when the environment does not name it. */
bool os_cache_folder(char path[OS_CACHE_PATH]);

/* FOLDER/HEX.EXTENSION; false when it would be too long, or the ID too short for a name. */
bool os_cache_path(const char *folder, struct cairn_bytes id, const char *extension,
                   char path[OS_CACHE_PATH]);

struct os_cache_file {
	const char *name;
	uint64_t size;
	int64_t modified; /* seconds since 1970 */
};

/* Calls back for each file; false when the folder cannot be read, or the callback returned false. */
bool os_cache_for_each(const char *folder, const char *extension,
                       bool (*each)(void *context, const struct os_cache_file *file),
                       void *context);

/* Removes a file of the folder.  Returns 0 or an errno value. */
CAIRN_MUST_USE int os_cache_remove(const char *folder, const char *name);

#endif
