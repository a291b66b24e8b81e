/* SPDX-License-Identifier: MIT */
/*
 * Protects mapped files against truncation by other programs. The kernel answers a read beyond the
 * new end of a mapped file with SIGBUS. A program that has started the guard reads zeros there
 * instead, which decoders handle like any other bytes, and can check afterwards whether a file was
 * truncated.
 *
 * The guard is a signal handler of the whole process. The program `cairn` has one; a library inside
 * a debugger must not install one, and os_file_open() then copies files instead of mapping them.
 */
#ifndef CAIRN_OS_FILE_GUARD_H
#define CAIRN_OS_FILE_GUARD_H

#include <stdbool.h>

/* Start the guard, once per process. Returns false if this is impossible; files are then copied. */
bool os_guard_start(void);

/* Return true if an open file was truncated. Results derived from it must not be kept. */
bool os_guard_is_truncated(void);

/* Return the path of the first file found truncated while it was open, or NULL. */
const char *os_guard_truncated_path(void);

#endif
