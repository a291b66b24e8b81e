/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a file, to be read only.  In a process with a guard (guard.h) regular files are
 * mapped, so that a large one costs what is looked at; elsewhere they are copied, for a file that
 * somebody cuts short while it is mapped ends the process (SIGBUS).  Pipes, terminals and files of
 * the kernel without a size are read up to a bound.
 */
#ifndef CAIRN_OS_FILE_FILE_H
#define CAIRN_OS_FILE_FILE_H

#include <cairn.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* More than any file of a kind we read; it ends the reading of an endless device. */
#define OS_FILE_READ_MAX ((size_t)1 << 30)

/* The errno value for a file that was cut short while it was read. */
#define OS_FILE_TRUNCATED ENODATA

/* Which file it was for the file system when it was opened; all zeros: not known. */
struct os_file_stamp {
	uint64_t device, inode;
	int64_t modified, changed; /* nanoseconds since 1970; nobody sets `changed` at will */
};

struct os_file {
	struct cairn_bytes bytes;
	void *memory; /* mapped or allocated, NULL for neither */
	bool mapped;
	struct os_file_stamp stamp; /* of a regular file that was not unpacked */
	const struct cairn_file_access
		*access; /* of a file that a host opened, and `memory` its handle; else NULL */
};

struct os_file_stamp os_file_stamp(const struct stat *about);

/*
 * Opens `path`; "-" is standard input.  Returns 0 or an errno value, with which *file stays
 * untouched.  os_file_close() gives the bytes back.
 */
CAIRN_MUST_USE int os_file_open(const char *path, struct os_file *file);

/* The same for a path that input names: nothing but a regular file is opened. */
CAIRN_MUST_USE int os_file_open_regular(const char *path, struct os_file *file);

/* The same by functions of the host; they live as long as the file.  `access` may be NULL, or have none. */
CAIRN_MUST_USE int os_file_open_by(const struct cairn_file_access *access, const char *path,
                                   struct os_file *file);

/* The same of a regular file that is open, and stays open; `path` is what messages call it. */
CAIRN_MUST_USE int os_file_open_descriptor(int fd, const char *path, struct os_file *file);
void os_file_close(struct os_file *file);

/*
 * The door for files whose names come from input, or lie where somebody else may put something: a core, a section, a directory
 * that others write to. Opening a device can do something by itself (wind a tape back, arm a watchdog), and a pipe
 * waits, so that what lies there is looked at first, without being opened, and nothing but a regular file is opened then.
 * What the user names is opened by os_file_open(), whatever it is.
 *
 *	struct stat about;
 *	int fd, error = os_regular_open(AT_FDCWD, path, O_NOFOLLOW, &about, &fd);
 *
 * Opens a regular file to be read, by its path from `folder` on, which may be AT_FDCWD; `flags` are O_NOFOLLOW or
 * 0. Returns 0 or an errno value: EINVAL: it is something else.
 *
 * Between the look and the opening nobody can put something else there: what was looked at is opened, through /proc/self/fd. In a
 * root directory without /proc the name is opened a second time, and what is another file by then is closed again.
 */
CAIRN_MUST_USE int os_regular_open(int folder, const char *path, int flags, struct stat *about,
                                   int *fd);

/* The same of what was looked at with O_PATH: `handle` stays the caller's. ENOENT: there is no /proc. */
CAIRN_MUST_USE int os_regular_reopen(int handle, struct stat *about, int *fd);

/* For parts of a file: opens what is a regular file, to be closed by the caller. */
CAIRN_MUST_USE int os_file_regular(const char *path, struct stat *about, int *fd);

/* All of `size` bytes from `offset` on; OS_FILE_TRUNCATED when the file ends before them. */
CAIRN_MUST_USE int os_file_read(int fd, uint64_t offset, void *memory, size_t size);

/* What watches over mapped files.  add() is false when there is no room for one more. */
struct os_file_guard {
	bool (*add)(const void *memory, size_t size, const struct stat *about, const char *path);
	void (*remove)(const void *memory);
};

/* Once in a process, before files are opened; see guard.h. */
void os_file_set_guard(const struct os_file_guard *guard);

/*
 * Part of a mapped file will not be read for a while: its pages need not count as ours.  They come
 * back by themselves.  For bytes that are not mapped from a file this would lose them.
 */
void os_file_release_pages(struct cairn_bytes part);

/*
 * Small parts of the file will be read, far from each other: what lies around them is not to be read ahead,
 * which of a core of some gigabytes would be most of it.
 */
void os_file_read_apart(const struct os_file *file);

/* All of this part of a mapped file will be read soon, whatever was said of the file. */
void os_file_read_soon(struct cairn_bytes part);

#endif
