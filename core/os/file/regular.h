/* SPDX-License-Identifier: MIT */
/*
 * The door for files whose names come from input, or lie where somebody else may put something: a core, a section, a folder
 * that others write to. Opening a device can do something by itself (wind a tape back, arm a watchdog), and a pipe
 * waits, so that what lies there is looked at first, without being opened, and nothing but a regular file is opened then.
 * What the user names is opened by os_file_open() of file.h, whatever it is.
 *
 *	struct stat about;
 *	int fd, error = os_regular_open(AT_FDCWD, path, O_NOFOLLOW, &about, &fd);
 */
#ifndef CAIRN_OS_FILE_REGULAR_H
#define CAIRN_OS_FILE_REGULAR_H

#include <cairn.h>

#include <fcntl.h>
#include <sys/stat.h>

/*
 * Opens a regular file to be read, by its path from `folder` on, which may be AT_FDCWD; `flags` are O_NOFOLLOW or
 * 0. Returns 0 or an errno value: EINVAL: it is something else.
 *
 * Between the look and the opening nobody can put something else there: what was looked at is opened, through /proc/self/fd. In a
 * root folder without /proc the name is opened a second time, and what is another file by then is closed again.
 */
CAIRN_MUST_USE int os_regular_open(int folder, const char *path, int flags, struct stat *about,
                                   int *fd);

/* The same of what was looked at with O_PATH: `handle` stays the caller's. ENOENT: there is no /proc. */
CAIRN_MUST_USE int os_regular_reopen(int handle, struct stat *about, int *fd);

#endif
