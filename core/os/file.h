/* SPDX-License-Identifier: MIT */
/*
 * Provides the contents of a file for reading. In a process with a guard (see guard.h) regular
 * files are mapped, so that only the pages in use cost memory. Other processes copy files, because
 * reading a mapped file that another program has truncated raises SIGBUS. Pipes, terminals and
 * kernel files without a size are read up to a limit.
 */
#ifndef CAIRN_OS_FILE_H
#define CAIRN_OS_FILE_H

#include <cairn.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* maximum number of bytes to read; no valid input is larger, but devices may be endless */
#define OS_FILE_READ_MAX ((size_t)1 << 30)

/* errno value for a file that has been truncated while it was read */
#define OS_FILE_TRUNCATED ENODATA

/* A file's identity when it was opened; all zeros if unknown. */
struct os_file_stamp {
	uint64_t device, inode;
	int64_t modified, changed; /* nanoseconds since 1970; programs cannot forge `changed` */
};

struct os_file {
	struct cairn_bytes bytes;
	void *memory; /* mapping or allocation that holds `bytes`, or NULL */
	bool mapped;
	/* identity of the file; set only for a regular file that was not decompressed */
	struct os_file_stamp stamp;
	/* host functions that have opened the file; `memory` is then the host's handle */
	const struct cairn_file_access *access;
};

struct os_file_stamp os_file_stamp(const struct stat *about);

/*
 * Open `path`, or standard input if it is "-". Returns 0, or an errno value and leaves *file
 * unchanged.
 */
CAIRN_MUST_USE int os_file_open(const char *path, struct os_file *file);

/* Open a path that comes from untrusted input. Opens regular files only. */
CAIRN_MUST_USE int os_file_open_regular(const char *path, struct os_file *file);

/*
 * Open `path` with the host program's functions. They must stay valid until the file is closed.
 * `access` and each of its functions may be NULL.
 */
CAIRN_MUST_USE int os_file_open_by(const struct cairn_file_access *access, const char *path,
                                   struct os_file *file);

/* Read a regular file from a descriptor, which stays open. `path` is used only in messages. */
CAIRN_MUST_USE int os_file_open_descriptor(int fd, const char *path, struct os_file *file);
void os_file_close(struct os_file *file);

/*
 * Open a regular file whose name comes from input, such as a core or a section, or that lies in a
 * directory where other users can write. Opening a device may have side effects, such as rewinding
 * a tape or arming a watchdog, and opening a pipe blocks. Therefore this function examines the file
 * before it opens it. For paths from the user, os_file_open() accepts any kind of file.
 *
 *	struct stat about;
 *	int fd, error = os_regular_open(AT_FDCWD, path, O_NOFOLLOW, &about, &fd);
 *
 * `path` is relative to `directory`, which may be AT_FDCWD; `flags` is O_NOFOLLOW or 0. Returns 0
 * or an errno value; EINVAL if the file is not a regular file.
 *
 * The file cannot be replaced between the examination and the opening, because the examined handle
 * is reopened through /proc/self/fd. If /proc is not mounted, the name is opened again, and the
 * descriptor is closed if it refers to a different file.
 */
CAIRN_MUST_USE int os_regular_open(int directory, const char *path, int flags, struct stat *about,
                                   int *fd);

/*
 * Reopen an O_PATH handle for reading. The caller keeps `handle`. Returns ENOENT if /proc is not
 * mounted.
 */
CAIRN_MUST_USE int os_regular_reopen(int handle, struct stat *about, int *fd);

/* Open a regular file for reading at arbitrary offsets. The caller closes the descriptor. */
CAIRN_MUST_USE int os_file_regular(const char *path, struct stat *about, int *fd);

/* Read exactly `size` bytes at `offset`. Returns OS_FILE_TRUNCATED if the file is shorter. */
CAIRN_MUST_USE int os_file_read(int fd, uint64_t offset, void *memory, size_t size);

/* Guard for mapped files. add() returns false if the table of mapped files is full. */
struct os_file_guard {
	bool (*add)(const void *memory, size_t size, const struct stat *about, const char *path);
	void (*remove)(const void *memory);
};

/* Set the guard; see guard.h. Call this once per process, before opening files. */
void os_file_set_guard(const struct os_file_guard *guard);

/*
 * Release the pages that hold `part`, a range in a mapped file that will not be read for a while.
 * The kernel reads them again on demand. The bytes must be mapped from a file, because the contents
 * of other memory would be lost.
 */
void os_file_release_pages(struct cairn_bytes part);

/*
 * Disable read-ahead for a file in which only small, distant ranges will be read. Otherwise
 * read-ahead could load most of a multi-gigabyte core.
 */
void os_file_read_apart(const struct os_file *file);

/* Start reading a range in a mapped file as a whole, even after os_file_read_apart(). */
void os_file_read_soon(struct cairn_bytes part);

/*
 * Open the relative `path` below `directory` for reading. Returns 0 or an errno value: EXDEV if the
 * path leaves the directory or might do so, ENOENT if the file does not exist, EINVAL if it is not
 * a regular file, otherwise the error from opening `directory`.
 */
CAIRN_MUST_USE int os_open_beneath(const char *directory, const char *path, struct stat *about,
                                   int *fd);

#endif
