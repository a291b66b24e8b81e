/* SPDX-License-Identifier: MIT */
/*
 * Opens the files mapped by another process through the kernel's own handles. It never looks up a
 * name chosen by that process and follows no symbolic link.
 */
#ifndef CAIRN_OS_PROCESS_MAPPED_FILES_H
#define CAIRN_OS_PROCESS_MAPPED_FILES_H

#include "process.h"

struct os_mapped_file {
	uint64_t low, high; /* range of one mapping; mappings of one file share a descriptor */
	int fd;             /* regular file with the ELF magic */
};

enum {
	OS_MAPPED_FILES_MAX = 4096, /* mappings of ELF files; programs have hundreds */
	OS_MAPPED_LOOKS_MAX = 1 << 16,
	OS_MAPPED_DESCRIPTORS_MAX = 512, /* programs have up to 400 libraries */
};

/*
 * Fill `files`, sorted by address, and return their number. Returns 0 without permission; the
 * kernel requires CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE.
 */
size_t os_mapped_files(const struct os_process *process,
                       struct os_mapped_file files[OS_MAPPED_FILES_MAX]);

/* Return the descriptor of the file mapped at the address, or -1. Borrowed from `files`. */
int os_mapped_file_at(const struct os_mapped_file *files, size_t count, uint64_t address);

/* Open the root directory of a process. The caller closes it. Returns -1 without permission. */
int os_process_root(const struct os_process *process);

/*
 * Open a regular file below the directory `root` for reading. Symbolic links are resolved below
 * `root`. Returns a descriptor or -1.
 */
int os_open_below(int root, const char *path);

#endif
