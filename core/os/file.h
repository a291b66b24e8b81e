/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a file, to be read only.  Regular files are mapped, so that a large one costs what
 * is looked at; pipes, terminals and files of the kernel without a size are read up to a bound.
 * A file that somebody cuts short while it is mapped ends the program (SIGBUS), as in all tools
 * that map.
 */
#ifndef CAIRN_OS_FILE_H
#define CAIRN_OS_FILE_H

#include <cairn.h>

/* More than any file of a kind we read; it ends the reading of an endless device. */
#define OS_FILE_READ_MAX ((size_t)1 << 30)

struct os_file {
	struct cairn_bytes bytes;
	void *memory; /* mapped or allocated, NULL for neither */
	bool mapped;
};

/*
 * Opens `path`; "-" is standard input.  Returns 0 or an errno value, with which *file stays
 * untouched.  os_file_close() gives the bytes back.
 */
CAIRN_MUST_USE int os_file_open(const char *path, struct os_file *file);

/* The same for a path that input names: nothing but a regular file is opened. */
CAIRN_MUST_USE int os_file_open_regular(const char *path, struct os_file *file);
void os_file_close(struct os_file *file);

/*
 * Part of a mapped file will not be read for a while: its pages need not count as ours.  They come
 * back by themselves.  For bytes that are not mapped from a file this would lose them.
 */
void os_file_forget(struct cairn_bytes part);

#endif
