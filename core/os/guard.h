/* SPDX-License-Identifier: MIT */
/*
 * Protects readers of mapped files against truncation by other programs. If a program reads a
 * mapped file beyond its new end, the kernel raises SIGBUS. With the guard, the read returns zeros
 * instead, which decoders handle like any other bytes, and the program can check afterwards whether
 * a file has been truncated. The guard is a signal handler for the whole process: the program
 * `cairn` installs it, but a library inside a debugger must not. Without a guard, os_file_open()
 * copies files instead of mapping them.
 */
#ifndef CAIRN_OS_GUARD_H
#define CAIRN_OS_GUARD_H

#include <stdbool.h>

/* Install the guard, once per process. Returns false on failure; files are then copied. */
bool os_guard_start(void);

/*
 * Return true if an open file has been truncated. Results derived from the file must not be kept.
 */
bool os_guard_is_truncated(void);

/* Return the path of the first file that has been truncated while open, or NULL. */
const char *os_guard_truncated_path(void);

#endif
