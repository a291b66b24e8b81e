/* SPDX-License-Identifier: MIT */
/*
 * Manages the cache directory, $XDG_CACHE_HOME/cairn or ~/.cache/cairn, whose files can be
 * regenerated. Each kind of file has its own extension, and file names are hexadecimal IDs. All
 * other files in the directory are ignored.
 */
#ifndef CAIRN_OS_CACHE_H
#define CAIRN_OS_CACHE_H

#include "base/hash.h"
#include "os/file.h"

#include <cairn.h>

enum { OS_CACHE_PATH = 4096 };

/*
 * Write the path of the cache directory, which may not exist. Returns false if the environment does
 * not define the directory.
 */
bool os_cache_directory(char path[OS_CACHE_PATH]);

/*
 * Format the path DIRECTORY/HEX.EXTENSION, where HEX is the ID in hexadecimal. Returns false if the
 * path or the ID is too long, or the ID is too short.
 */
bool os_cache_path(const char *directory, struct cairn_bytes id, const char *extension,
                   char path[OS_CACHE_PATH]);

struct os_cache_file {
	const char *name;
	uint64_t size;
	int64_t modified;
};

/*
 * Call `each` for each file with this extension. Returns false if the directory is unreadable or
 * `each` returns false.
 */
bool os_cache_for_each(const char *directory, const char *extension,
                       bool (*each)(void *context, const struct os_cache_file *file),
                       void *context);

CAIRN_MUST_USE int os_cache_remove(const char *directory, const char *name);

/*
 * The trailer of a cache file, which records the source files from which the cache file was made.
 * Cache files are found by build ID, but any file may claim any build ID. The trailer therefore
 * contains the size and digest of each source file, and the cache file is valid only for these
 * source files.
 *
 *	trailer = file[4] "cairn made me" NUL, 2 zeros, version:8 zeros:8      320 bytes, little-endian
 *	file    = size:8 device:8 inode:8 modified:8 changed:8 digest[32]      all zeros: absent
 *
 * Digesting a large program takes longer than answering from the cache. Therefore a file whose
 * device, inode and times equal the recorded stamp is assumed to have the recorded contents.
 */

enum {
	OS_CACHE_ORIGIN_FILES = 4,
	OS_CACHE_ORIGIN_SIZE = OS_CACHE_ORIGIN_FILES * 72 + 32,
	/* increment this whenever the converter's output changes */
	OS_CACHE_ORIGIN_VERSION = 4,
};

/* a source file of a cache file; all zeros if the source did not exist */
struct os_cache_origin_file {
	uint64_t size;
	struct os_file_stamp stamp; /* all zeros if unknown */
	uint8_t digest[SHA256_SIZE];
};

struct os_cache_origin {
	struct os_cache_origin_file file[OS_CACHE_ORIGIN_FILES]; /* the program comes first */
};

struct os_cache_origin_file os_cache_origin_of_file(const struct os_file *file);

/*
 * Return true if `file` is the recorded source. Reads the whole file only if its size is the
 * recorded one but its stamp differs.
 */
bool os_cache_origin_matches(const struct os_cache_origin_file *made, const struct os_file *file);

/*
 * Add a stamp to a matching record that lacks one because the source had been modified too
 * recently. Returns false if the record has a stamp already or the file is still too recent.
 */
bool os_cache_origin_stamp(struct os_cache_origin_file *made, const struct os_file *file);

void os_cache_origin_write(const struct os_cache_origin *made,
                           uint8_t trailer[OS_CACHE_ORIGIN_SIZE]);

/*
 * Read the trailer. Returns NOT_FOUND if the bytes do not end with a trailer, and UNSUPPORTED if
 * the trailer has a different version.
 */
CAIRN_MUST_USE enum cairn_status os_cache_origin_read(struct cairn_bytes bytes,
                                                      struct os_cache_origin *made);

/*
 * Check whether the symbol file may be used for the program at `path`. Returns OK if the symbol
 * file has no trailer or the program cannot be read, because the build ID is then the only
 * evidence. Otherwise compares the program with the trailer, and returns MISMATCH with the reason
 * in *fault if they differ.
 */
CAIRN_MUST_USE enum cairn_status os_cache_origin_check(struct cairn_bytes symbols, const char *path,
                                                       struct cairn_fault *fault);

#endif
