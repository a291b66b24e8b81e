/* SPDX-License-Identifier: MIT */
/* Writes bytes to descriptors, and creates files without a name and temporary directories. */
#ifndef CAIRN_OS_FILE_WRITE_H
#define CAIRN_OS_FILE_WRITE_H

#include <cairn.h>

/* Write all bytes. Returns 0 or an errno value. */
CAIRN_MUST_USE int os_write_all(int fd, struct cairn_bytes bytes);

/*
 * Write all bytes at the offset `at`. Only valid if os_may_write_at() returned true: for a regular
 * file whose position is still 0.
 */
CAIRN_MUST_USE int os_write_all_at(int fd, struct cairn_bytes bytes, uint64_t at);
bool os_may_write_at(int fd);

/* Write one piece. This is a callback; `context` points to the descriptor, an int. */
CAIRN_MUST_USE int os_write_piece(void *context, const void *bytes, size_t size);

/* Close a written file. Returns `error`, or the errno value of close() if `error` is 0. */
CAIRN_MUST_USE int os_close_written(int fd, int error);

/* Return a descriptor for reading and writing that is closed on exec, or -1 with errno set. */
int os_unnamed_file(void);

/*
 * A temporary directory for the lifetime of a program. It is locked, and the programs that its
 * creator starts inherit the lock. When all these programs have ended, even by SIGKILL, the next
 * creator removes the directory.
 *
 *	static const char *const files[] = { "core", "script", "modules/", NULL };
 *	char path[] = "/tmp/cairn-open.XXXXXX";
 *	int lock;
 *	int error = os_temporary_directory_make(path, files, &lock);
 *	if (error == 0)
 *		... /tmp/cairn-open.a1B2c3/core
 *	os_temporary_directory_remove(path, files, lock);
 */

/*
 * Create the directory that `path` names; its last six characters are X and are replaced as by
 * mkdtemp(). First removes this user's directories of the same form that no program has locked.
 * Only the files listed in `files` (NULL-terminated) are removed from them; "modules/" stands for a
 * subdirectory and the files in it. A directory with other files stays. *lock stays open until the
 * directory is removed. Returns 0 or an errno value.
 */
CAIRN_MUST_USE int os_temporary_directory_make(char *path, const char *const *files, int *lock);

/* Remove the directory with the same `files`, and close the lock. */
void os_temporary_directory_remove(const char *path, const char *const *files, int lock);

#endif
