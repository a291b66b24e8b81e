/* SPDX-License-Identifier: MIT */
/* Writes bytes to descriptors, and creates unnamed files and temporary directories. */
#ifndef CAIRN_OS_WRITE_H
#define CAIRN_OS_WRITE_H

#include <cairn.h>

CAIRN_MUST_USE int os_write_all(int fd, struct cairn_bytes bytes);

/*
 * Write all bytes at offset `at`. Valid only if os_may_write_at() has returned true, which requires
 * a regular file whose position is still 0.
 */
CAIRN_MUST_USE int os_write_all_at(int fd, struct cairn_bytes bytes, uint64_t at);
bool os_may_write_at(int fd);

/* Write one piece of output. Serves as a callback; `context` points to the descriptor, an int. */
CAIRN_MUST_USE int os_write_piece(void *context, const void *bytes, size_t size);

/*
 * Close a file after writing. Returns `error` if it is not 0, otherwise the errno value from
 * close().
 */
CAIRN_MUST_USE int os_close_written(int fd, int error);

/*
 * Create an unnamed file and return a close-on-exec descriptor for reading and writing. Returns -1
 * with errno set on failure.
 */
int os_unnamed_file(void);

/*
 * A temporary directory that exists as long as programs use it. Its creator locks it, and the
 * programs that the creator starts inherit the lock. If all of these programs have ended without
 * removing the directory, for example by SIGKILL, the next creator removes it.
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
 * Create the directory `path`, replacing its last six characters, which are X, as mkdtemp() does.
 * First removes this user's directories that have the same name pattern and that no program has
 * locked. From such a directory, it deletes only the files in `files` (NULL-terminated), where
 * "modules/" stands for a subdirectory and all files in it; a directory with other files is kept.
 * *lock must stay open until the directory is removed. Returns 0 or an errno value.
 */
CAIRN_MUST_USE int os_temporary_directory_make(char *path, const char *const *files, int *lock);

/* Remove the directory and the files listed in `files`, and close the lock. */
void os_temporary_directory_remove(const char *path, const char *const *files, int lock);

#endif
