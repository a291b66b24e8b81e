/* SPDX-License-Identifier: MIT */
/*
 * The record of the source files from which a cache file was made. A build ID finds it, and anybody
 * may write any build ID into a file: so it ends with the size and the content of each file that it
 * was made of, and serves for these alone.
 *
 *	trailer = file[4] "cairn made me" NUL, 2 zeros, version:8 zeros:8      320 bytes, little-endian
 *	file    = size:8 device:8 inode:8 modified:8 changed:8 digest[32]      all zeros: there was none
 *
 * To read all of a large program for its digest takes longer than to answer.  So a file that is the
 * same one to the file system, and was not changed since, is taken to have the same content.
 */
#ifndef CAIRN_OS_CACHE_CACHE_ORIGIN_H
#define CAIRN_OS_CACHE_CACHE_ORIGIN_H

#include "base/sha256.h"
#include "os/file/file.h"

enum {
	OS_CACHE_ORIGIN_FILES = 4,
	OS_CACHE_ORIGIN_SIZE = OS_CACHE_ORIGIN_FILES * 72 + 32,
	OS_CACHE_ORIGIN_VERSION = 4, /* another one whenever the converter gives other answers */
};

/* One file; all zeros: there was none. */
struct os_cache_origin_file {
	uint64_t size;
	struct os_file_stamp stamp; /* all zeros: not known */
	uint8_t digest[SHA256_SIZE];
};

struct os_cache_origin {
	struct os_cache_origin_file file[OS_CACHE_ORIGIN_FILES]; /* the program first */
};

/* Reads all of `file`, which may be none. */
struct os_cache_origin_file os_cache_origin_of_file(const struct os_file *file);

/* Is it this file?  Reads all of it when the stamps do not decide. */
bool os_cache_origin_matches(const struct os_cache_origin_file *made, const struct os_file *file);

/*
 * Once that is so: a stamp for what was made when the file was too fresh for one.  False: it has one, or
 * is too fresh still.
 */
bool os_cache_origin_stamp(struct os_cache_origin_file *made, const struct os_file *file);

void os_cache_origin_write(const struct os_cache_origin *made,
                           uint8_t trailer[OS_CACHE_ORIGIN_SIZE]);

/* NOT_FOUND: the bytes do not end like this; UNSUPPORTED: they do, in another version. */
CAIRN_MUST_USE enum cairn_status os_cache_origin_read(struct cairn_bytes bytes,
                                                      struct os_cache_origin *made);

/*
 * May a file of symbols serve the program at `path`, as far as that can be known?  One without a trailer
 * may, and where the program is not at hand its build ID must do.  Else MISMATCH, and *fault gives the reason.
 */
CAIRN_MUST_USE enum cairn_status os_cache_origin_check(struct cairn_bytes symbols, const char *path,
                                                       struct cairn_fault *fault);

#endif
