/* SPDX-License-Identifier: MIT */
/*
 * Reads only the parts of an ELF file that identify it. This is for processes that must not map
 * files (file.h) and should not copy gigabytes of debugging information only to read a build ID.
 */
#ifndef CAIRN_LOCATE_SPARSE_H
#define CAIRN_LOCATE_SPARSE_H

#include <cairn.h>

#include <sys/stat.h>

/*
 * A buffer of the file's size that is zero except for the parts that were read. The zeros occupy
 * address space but no memory.
 */
struct os_sparse {
	struct cairn_bytes bytes;
};

/*
 * Open a file and read the parts named by cairn_program_next_part(). Returns 0 or an errno value;
 * EINVAL if it is not a regular file.
 */
CAIRN_MUST_USE int os_sparse_open(const char *path, struct os_sparse *file);

/* Like os_sparse_open(), for an open regular file. The caller keeps the descriptor. */
CAIRN_MUST_USE int os_sparse_fill(int fd, const struct stat *about, struct os_sparse *file);

/* Read another part of the file, given by offsets. Returns 0 or an errno value. */
CAIRN_MUST_USE int os_sparse_read(const struct os_sparse *file, int fd, struct cairn_range part);
void os_sparse_close(struct os_sparse *file);

#endif
