/* SPDX-License-Identifier: MIT */
/*
 * A file that is there whole or not at all: it is written under another name in the same folder and
 * then renamed, so that whoever opens it at any moment, in any process, finds the old one or the
 * new one.  Signals wait until that is done, and a failure leaves nothing after.
 *
 * What is there and is no regular file (a device, a pipe) is written to as it is.
 */
#ifndef CAIRN_OS_FILE_ATOMIC_FILE_H
#define CAIRN_OS_FILE_ATOMIC_FILE_H

#include "write_all.h"

#include <cairn.h>

/* Writes the parts one after the other.  0 or an errno value. */
CAIRN_MUST_USE int os_atomic_file_write(const char *path, const struct cairn_bytes *parts,
                                        size_t count);

/*
 * The same for a path that no user named, as in a cache: what is there is replaced, a pipe (which would wait for a reader)
 * and a link too.
 */
CAIRN_MUST_USE int os_atomic_file_replace(const char *path, const struct cairn_bytes *parts,
                                          size_t count);

/* The same of a file that is written piece by piece: `fill` writes to the descriptor, and returns 0 or an errno value. */
CAIRN_MUST_USE int os_atomic_file_fill(const char *path, int (*fill)(void *context, int fd),
                                       void *context);

/* Makes a folder and those around it, for this user alone.  0 or an errno value. */
CAIRN_MUST_USE int os_make_folders(const char *path);

#endif
