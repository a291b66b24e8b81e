/* SPDX-License-Identifier: MIT */
/*
 * Temporary files of processes that were killed.  Whoever writes one beside its final name removes
 * those of others first, so that no more than what one hour leaves is ever there.
 */
#ifndef CAIRN_OS_FILE_STALE_FILES_H
#define CAIRN_OS_FILE_STALE_FILES_H

/*
 * How old a temporary file is when nobody writes it any more.  A writer puts bytes into its file all
 * the time, and each changes the file's time; network readers give up after minutes.
 */
enum { OS_STALE_FILE_SECONDS = 60 * 60 };

/*
 * Removes from `folder` the regular files of this user that have not changed for so long and are
 * named `prefix` and letters, digits and dashes.  Failures are ignored: the files stay.
 */
void os_remove_stale_files(const char *folder, const char *prefix);

#endif
