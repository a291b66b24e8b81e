/* SPDX-License-Identifier: MIT */
/*
 * Mapped files that another program cuts short.  The kernel answers a read past a mapped file's new
 * end with SIGBUS; a program that has started the guard reads zeros there instead, which decoders
 * refuse or not like any other bytes, and can see afterwards that the file was cut.
 *
 * The guard is a signal handler of the whole process.  The program `cairn` has one; a library inside
 * of a debugger may not, and without it os_file_open() copies files in place of mapping them.
 */
#ifndef CAIRN_OS_FILE_GUARD_H
#define CAIRN_OS_FILE_GUARD_H

#include <stdbool.h>

/* Begin to guard, once in a process.  False: it cannot be, and files are copied. */
bool os_guard_start(void);

/* Is one of the files cut that are open now?  What was made of it is not to be kept. */
bool os_guard_is_truncated(void);

/* The path of the first file that was found cut while it was open; NULL when none was. */
const char *os_guard_truncated_path(void);

#endif
