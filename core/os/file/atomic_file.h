/* SPDX-License-Identifier: MIT */
/*
 * Writes a file atomically: under another name in the same directory, followed by a rename. Any
 * process that opens the path finds either the old or the new file. Signals are held until then,
 * and a failure leaves nothing behind.
 *
 * If the path names something other than a regular file (a device, a pipe), it is written in place.
 */
#ifndef CAIRN_OS_FILE_ATOMIC_FILE_H
#define CAIRN_OS_FILE_ATOMIC_FILE_H

#include "write_all.h"

#include <cairn.h>

/* Write the parts one after the other. Returns 0 or an errno value. */
CAIRN_MUST_USE int os_atomic_file_write(const char *path, const struct cairn_bytes *parts,
                                        size_t count);

/*
 * Write the parts to a path that no user named, such as a file in a cache. Any existing file is
 * replaced, including a symbolic link and a pipe, which would block until a reader opens it.
 */
CAIRN_MUST_USE int os_atomic_file_replace(const char *path, const struct cairn_bytes *parts,
                                          size_t count);

/* Write a file piece by piece: `fill` writes to the descriptor and returns 0 or an errno value. */
CAIRN_MUST_USE int os_atomic_file_fill(const char *path, int (*fill)(void *context, int fd),
                                       void *context);

/*
 * Create a directory and its missing parents, accessible to this user alone. Returns 0 or an errno
 * value.
 */
CAIRN_MUST_USE int os_make_folders(const char *path);

#endif
