/* SPDX-License-Identifier: MIT */
/* Runs another program, without a shell, and keeps what it prints. */
#ifndef CAIRN_OS_RUN_H
#define CAIRN_OS_RUN_H

#include <cairn.h>

enum { OS_RUN_SECONDS = 20 }; /* then it is killed */

/*
 * Runs argv[0], which is looked for in PATH, with nothing to read, and puts the first `room` - 1 bytes
 * of its standard output and error into `said`, as a string.  0 when it ran to its end, whatever its
 * exit status; else an errno value: ENOENT when there is no such program, ETIMEDOUT when it was killed.
 */
CAIRN_MUST_USE int os_run(const char *const argv[], char *said, size_t room);

#endif
