/* SPDX-License-Identifier: MIT */
/*
 * A file below a folder, by a path that somebody else chose: no part of the path is "..", and no part is followed as a
 * symbolic link, so that it ends in the folder or nowhere. Nothing but a regular file is opened (file.h).
 */
#ifndef CAIRN_OS_FILE_BENEATH_H
#define CAIRN_OS_FILE_BENEATH_H

#include "file.h"

/*
 * Opens `path`, which is relative, to be read. Returns 0 or an errno value: EXDEV: the path leaves the folder, or could; ENOENT: nothing
 * is there; EINVAL: no regular file; else what the system says of `folder`.
 */
CAIRN_MUST_USE int os_open_beneath(const char *folder, const char *path, struct stat *about,
                                   int *fd);

#endif
