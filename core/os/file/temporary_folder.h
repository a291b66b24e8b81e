/* SPDX-License-Identifier: MIT */
/*
 * A folder for files that are wanted as long as a program runs. It is locked, and the lock is inherited by the
 * programs that its maker starts: when all of them have ended, also by SIGKILL, the next maker removes it.
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
 * Makes the folder that `path` names, whose last six characters are X and get others, as mkdtemp() has it.  Before that
 * it removes the folders of this user that are named likewise beside it and that no program holds, with those files in them that
 * `files` names (NULL at the end), "modules/" standing for a folder and the files in it; a folder with others stays.  *lock is open until the folder is removed.  Returns 0 or
 * an errno value.
 */
CAIRN_MUST_USE int os_temporary_folder_make(char *path, const char *const *files, int *lock);

/* Removes it with those files, and closes the lock. */
void os_temporary_folder_remove(const char *path, const char *const *files, int lock);

#endif
