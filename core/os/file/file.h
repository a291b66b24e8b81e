/* SPDX-License-Identifier: MIT */
/*
 * Read-only bytes of a file. In a process with a guard (guard.h) regular files are mapped, so that
 * only the pages in use cost memory. Elsewhere they are copied, because truncation of a mapped file
 * ends the process with SIGBUS. Pipes, terminals and kernel files without a size are read up to a
 * bound.
 */
#ifndef CAIRN_OS_FILE_FILE_H
#define CAIRN_OS_FILE_FILE_H

#include <cairn.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* Larger than any valid input; ends the reading of an endless device. */
#define OS_FILE_READ_MAX ((size_t)1 << 30)

/* The errno value for a file that was truncated while it was read. */
#define OS_FILE_TRUNCATED ENODATA

/* Identity of the file at the time it was opened; all zeros if unknown. */
struct os_file_stamp {
	uint64_t device, inode;
	int64_t modified, changed; /* nanoseconds since 1970; `changed` cannot be forged */
};

struct os_file {
	struct cairn_bytes bytes;
	void *memory; /* mapped or allocated; NULL if neither */
	bool mapped;
	struct os_file_stamp stamp; /* set for a regular file that was not unpacked */
	const struct cairn_file_access
		*access; /* functions of the host that opened the file; `memory` is its handle */
};

struct os_file_stamp os_file_stamp(const struct stat *about);

/*
 * Open `path`, or standard input for "-". Returns 0, or an errno value, which leaves *file
 * untouched. Close it with os_file_close().
 */
CAIRN_MUST_USE int os_file_open(const char *path, struct os_file *file);

/* Open a path that comes from input. Only regular files are opened. */
CAIRN_MUST_USE int os_file_open_regular(const char *path, struct os_file *file);

/*
 * Open `path` with functions of the host, which must outlive the file. `access` and its functions
 * may be NULL.
 */
CAIRN_MUST_USE int os_file_open_by(const struct cairn_file_access *access, const char *path,
                                   struct os_file *file);

/* Read a regular file that is already open; `fd` stays open. `path` is used in messages. */
CAIRN_MUST_USE int os_file_open_descriptor(int fd, const char *path, struct os_file *file);
void os_file_close(struct os_file *file);

/*
 * Open a regular file whose name comes from input, or which lies where others can write: a core, a
 * section, a shared directory. Opening a device may have side effects (rewind a tape, arm a
 * watchdog) and opening a pipe blocks, so this function first examines the file without opening it.
 * Files named by the user are opened by os_file_open(), whatever they are.
 *
 *	struct stat about;
 *	int fd, error = os_regular_open(AT_FDCWD, path, O_NOFOLLOW, &about, &fd);
 *
 * `path` is relative to `directory`, which may be AT_FDCWD; `flags` is O_NOFOLLOW or 0. Returns 0 or
 * an errno value, EINVAL if it is not a regular file.
 *
 * The file cannot be exchanged between the check and the opening, because the examined handle is
 * reopened through /proc/self/fd. In a root directory without /proc the name is opened again and
 * the descriptor closed if it is another file by then.
 */
CAIRN_MUST_USE int os_regular_open(int directory, const char *path, int flags, struct stat *about,
                                   int *fd);

/*
 * Reopen an O_PATH handle for reading. The caller keeps `handle`. Returns ENOENT if there is no
 * /proc.
 */
CAIRN_MUST_USE int os_regular_reopen(int handle, struct stat *about, int *fd);

/* Open a regular file to read parts of it. The caller closes the descriptor. */
CAIRN_MUST_USE int os_file_regular(const char *path, struct stat *about, int *fd);

/* Read exactly `size` bytes at `offset`. Returns OS_FILE_TRUNCATED if the file ends before. */
CAIRN_MUST_USE int os_file_read(int fd, uint64_t offset, void *memory, size_t size);

/* Guard of mapped files. add() returns false if its table is full. */
struct os_file_guard {
	bool (*add)(const void *memory, size_t size, const struct stat *about, const char *path);
	void (*remove)(const void *memory);
};

/* Set the guard, once per process, before files are opened; see guard.h. */
void os_file_set_guard(const struct os_file_guard *guard);

/*
 * Drop the pages of a part of a mapped file that will not be read for a while. They are read again
 * on demand. The bytes must be mapped from a file; other memory would be lost.
 */
void os_file_release_pages(struct cairn_bytes part);

/*
 * Disable read-ahead for a file of which small, distant parts will be read. Read-ahead could read
 * most of a core of several gigabytes.
 */
void os_file_read_apart(const struct os_file *file);

/* Start reading all of a part of a mapped file, even after os_file_read_apart(). */
void os_file_read_soon(struct cairn_bytes part);

/*
 * Open the relative `path` for reading. Returns 0 or an errno value: EXDEV if the path leaves the
 * directory or could, ENOENT if nothing exists there, EINVAL if it is not a regular file, otherwise
 * the error for `directory`.
 */
CAIRN_MUST_USE int os_open_beneath(const char *directory, const char *path, struct stat *about,
                                   int *fd);

#endif
