/* SPDX-License-Identifier: MIT */
/*
 * Opens a file below a directory by an untrusted path. A part ".." and symbolic links are rejected,
 * so the path cannot leave the directory. Only regular files are opened (file.h).
 */
#ifndef CAIRN_OS_FILE_BENEATH_H
#define CAIRN_OS_FILE_BENEATH_H

#include "file.h"

/*
 * Open the relative `path` for reading. Returns 0 or an errno value: EXDEV if the path leaves the
 * directory or could, ENOENT if nothing exists there, EINVAL if it is not a regular file, otherwise
 * the error for `folder`.
 */
CAIRN_MUST_USE int os_open_beneath(const char *folder, const char *path, struct stat *about,
                                   int *fd);

#endif
