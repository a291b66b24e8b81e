/* SPDX-License-Identifier: MIT */
/*
 * A file that takes as long as a network to be written: a signal that ends the process (SIGINT, SIGTERM, SIGHUP) removes
 * it first.  For a process that writes one such file at a time, and by one thread.
 */
#ifndef CAIRN_OS_FILE_UNFINISHED_H
#define CAIRN_OS_FILE_UNFINISHED_H

/* From here to the release these signals wait: while the file appears, gets its last name, or goes. */
void os_unfinished_hold(void);

/* `path` is the file that is unfinished from now on; NULL: there is none.  A path that is too long is not kept. */
void os_unfinished_release(const char *path);

#endif
