/* SPDX-License-Identifier: MIT */
/*
 * A temporary directory for the lifetime of a program. It is locked, and the programs that its
 * creator starts inherit the lock. When all these programs have ended, even by SIGKILL, the next
 * creator removes the directory.
 *
 *	static const char *const files[] = { "core", "script", "modules/", NULL };
 *	char path[] = "/tmp/cairn-open.XXXXXX";
 *	int lock;
 *	int error = os_temporary_folder_make(path, files, &lock);
 *	if (error == 0)
 *		... /tmp/cairn-open.a1B2c3/core
 *	os_temporary_folder_remove(path, files, lock);
 */
#ifndef CAIRN_OS_FILE_TEMPORARY_FOLDER_H
#define CAIRN_OS_FILE_TEMPORARY_FOLDER_H

#include <cairn.h>

/*
 * Create the directory that `path` names; its last six characters are X and are replaced as by
 * mkdtemp(). First removes this user's directories of the same form that no program has locked.
 * Only the files listed in `files` (NULL-terminated) are removed from them; "modules/" stands for a
 * subdirectory and the files in it. A directory with other files stays. *lock stays open until the
 * directory is removed. Returns 0 or an errno value.
 */
CAIRN_MUST_USE int os_temporary_folder_make(char *path, const char *const *files, int *lock);

/* Remove the directory with the same `files`, and close the lock. */
void os_temporary_folder_remove(const char *path, const char *const *files, int lock);

#endif
