/* SPDX-License-Identifier: MIT */
/*
 * The directory of files that can be regenerated: $XDG_CACHE_HOME/cairn or ~/.cache/cairn. Files of
 * one kind have one extension and hexadecimal names; other files in the directory are neither
 * listed nor removed.
 */
#ifndef CAIRN_OS_CACHE_CACHE_H
#define CAIRN_OS_CACHE_CACHE_H

#include <cairn.h>

enum { OS_CACHE_PATH = 4096 };

/*
 * Write the directory's path, whether or not it exists. Returns false if the environment does not
 * define it.
 */
bool os_cache_folder(char path[OS_CACHE_PATH]);

/*
 * Format the path FOLDER/HEX.EXTENSION, where HEX is the ID in hexadecimal. Returns false if the
 * path is too long, or the ID is too short or too long.
 */
bool os_cache_path(const char *folder, struct cairn_bytes id, const char *extension,
                   char path[OS_CACHE_PATH]);

struct os_cache_file {
	const char *name;
	uint64_t size;
	int64_t modified; /* seconds since 1970 */
};

/*
 * Call `each` for each file. Returns false if the directory cannot be read or the callback returned
 * false.
 */
bool os_cache_for_each(const char *folder, const char *extension,
                       bool (*each)(void *context, const struct os_cache_file *file),
                       void *context);

CAIRN_MUST_USE int os_cache_remove(const char *folder, const char *name);

#endif
