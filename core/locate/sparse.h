/* SPDX-License-Identifier: MIT */
/*
 * An ELF file of which only the parts that identify it are read. It is for processes that may not
 * map files (file.h) and need not copy gigabytes of debug information to see a build ID.
 */
#ifndef CAIRN_LOCATE_SPARSE_H
#define CAIRN_LOCATE_SPARSE_H

#include <cairn.h>

#include <sys/stat.h>

/*
 * As many bytes as the file has, zeros but for what cairn_program_next_part() names.  Zeros cost address
 * space, no memory.
 */
struct os_sparse {
	struct cairn_bytes bytes;
};

/* Returns 0 or an errno value, EINVAL when the path is not a regular file. */
CAIRN_MUST_USE int os_sparse_open(const char *path, struct os_sparse *file);

/* The same of a regular file that is open; its descriptor stays the caller's. */
CAIRN_MUST_USE int os_sparse_fill(int fd, const struct stat *about, struct os_sparse *file);

/* A further part, by offsets in the file, into its place.  0 or an errno value. */
CAIRN_MUST_USE int os_sparse_read(const struct os_sparse *file, int fd, struct cairn_range part);
void os_sparse_close(struct os_sparse *file);

#endif
