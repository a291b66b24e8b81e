/* SPDX-License-Identifier: MIT */
/*
 * Removes an unfinished file, such as a download, if SIGINT, SIGTERM or SIGHUP ends the process.
 * Use this in processes that write one such file at a time, from one thread.
 */
#ifndef CAIRN_OS_FILE_UNFINISHED_H
#define CAIRN_OS_FILE_UNFINISHED_H

/*
 * Block these signals until os_unfinished_release(). Call it before the file is created, renamed to
 * its final name or removed.
 */
void os_unfinished_hold(void);

/*
 * Register `path` as the unfinished file, and unblock the signals. If `path` is NULL or too long,
 * no file is registered.
 */
void os_unfinished_release(const char *path);

#endif
