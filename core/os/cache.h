/* SPDX-License-Identifier: MIT */
/*
 * The directory of files that can be regenerated: $XDG_CACHE_HOME/cairn or ~/.cache/cairn. Files of
 * one kind have one extension and hexadecimal names; other files in the directory are neither
 * listed nor removed.
 */
#ifndef CAIRN_OS_CACHE_H
#define CAIRN_OS_CACHE_H

#include "base/hash.h"
#include "os/file/file.h"

#include <cairn.h>

enum { OS_CACHE_PATH = 4096 };

/*
 * Write the directory's path, whether or not it exists. Returns false if the environment does not
 * define it.
 */
bool os_cache_directory(char path[OS_CACHE_PATH]);

/*
 * Format the path FOLDER/HEX.EXTENSION, where HEX is the ID in hexadecimal. Returns false if the
 * path is too long, or the ID is too short or too long.
 */
bool os_cache_path(const char *directory, struct cairn_bytes id, const char *extension,
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
bool os_cache_for_each(const char *directory, const char *extension,
                       bool (*each)(void *context, const struct os_cache_file *file),
                       void *context);

CAIRN_MUST_USE int os_cache_remove(const char *directory, const char *name);

/*
 * The trailer of a cache file, which records the source files it was made from. Cache files are
 * found by build ID, but any file may claim any build ID. The trailer therefore holds the size and
 * digest of each source file, and the cache file is valid for these files only.
 *
 *	trailer = file[4] "cairn made me" NUL, 2 zeros, version:8 zeros:8      320 bytes, little-endian
 *	file    = size:8 device:8 inode:8 modified:8 changed:8 digest[32]      all zeros: there was none
 *
 * Digesting a large program takes longer than answering from the cache. A file with the same
 * device, inode and times as in the stamp is therefore assumed to have the same content.
 */

enum {
	OS_CACHE_ORIGIN_FILES = 4,
	OS_CACHE_ORIGIN_SIZE = OS_CACHE_ORIGIN_FILES * 72 + 32,
	OS_CACHE_ORIGIN_VERSION = 4, /* to be increased whenever the converter's answers change */
};

/* Source file of the cache file; all zeros if it was absent. */
struct os_cache_origin_file {
	uint64_t size;
	struct os_file_stamp stamp; /* all zeros: unknown */
	uint8_t digest[SHA256_SIZE];
};

struct os_cache_origin {
	struct os_cache_origin_file file[OS_CACHE_ORIGIN_FILES]; /* the program comes first */
};

/* Digest all of `file`, which may be empty. */
struct os_cache_origin_file os_cache_origin_of_file(const struct os_file *file);

/* Return true if `file` is the recorded file. Reads the whole file if the stamps do not decide. */
bool os_cache_origin_matches(const struct os_cache_origin_file *made, const struct os_file *file);

/*
 * Add a stamp to a matching record that was made when the file was too fresh for one. Returns false
 * if the record has a stamp or the file is still too fresh.
 */
bool os_cache_origin_stamp(struct os_cache_origin_file *made, const struct os_file *file);

void os_cache_origin_write(const struct os_cache_origin *made,
                           uint8_t trailer[OS_CACHE_ORIGIN_SIZE]);

/*
 * Read the trailer. Returns NOT_FOUND if the bytes do not end with a trailer, and UNSUPPORTED if
 * the trailer has another version.
 */
CAIRN_MUST_USE enum cairn_status os_cache_origin_read(struct cairn_bytes bytes,
                                                      struct os_cache_origin *made);

/*
 * Check whether a symbol file may serve the program at `path`. Returns OK for symbols without a
 * trailer, and if the program cannot be read, because the build ID is then the only evidence.
 * Otherwise returns MISMATCH and describes the reason in *fault.
 */
CAIRN_MUST_USE enum cairn_status os_cache_origin_check(struct cairn_bytes symbols, const char *path,
                                                       struct cairn_fault *fault);

#endif
