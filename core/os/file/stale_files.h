/* SPDX-License-Identifier: MIT */
/*
 * Removes temporary files of killed processes. A process that writes a temporary file beside its
 * final name first removes stale ones, so that leftovers do not accumulate.
 */
#ifndef CAIRN_OS_FILE_STALE_FILES_H
#define CAIRN_OS_FILE_STALE_FILES_H

/*
 * Age at which a temporary file is considered abandoned. A writer changes the modification time
 * with each write, and network readers time out after minutes.
 */
enum { OS_STALE_FILE_SECONDS = 60 * 60 };

/*
 * Remove from `folder` this user's stale regular files named `prefix` followed by letters, digits
 * and dashes. Failures are ignored.
 */
void os_remove_stale_files(const char *folder, const char *prefix);

#endif
