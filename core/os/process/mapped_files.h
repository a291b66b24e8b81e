/* SPDX-License-Identifier: MIT */
/*
 * The files that another process has mapped, opened by what the kernel knows of them: no name that the
 * process could choose is looked at, and no link is followed.
 */
#ifndef CAIRN_OS_PROCESS_MAPPED_FILES_H
#define CAIRN_OS_PROCESS_MAPPED_FILES_H

#include "process.h"

struct os_mapped_file {
	uint64_t low,
		high; /* of one mapping; the next ones of the same file share the descriptor */
	int fd;       /* of a regular file that begins as ELF does */
};

enum {
	OS_MAPPED_FILES_MAX = 4096,      /* mappings of ELF files; a program has some hundreds */
	OS_MAPPED_LOOKS_MAX = 1 << 16,   /* mappings of files that are looked at */
	OS_MAPPED_DESCRIPTORS_MAX = 512, /* programs have up to 400 libraries */
};

/*
 * Fills `files` by address and returns how many there are; 0 as well when the kernel does not let this
 * process (CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE is needed).
 */
size_t os_mapped_files(const struct os_process *process,
                       struct os_mapped_file files[OS_MAPPED_FILES_MAX]);

/* The descriptor of the file that is mapped at the address; -1 for none. */
int os_mapped_file_at(const struct os_mapped_file *files, size_t count, uint64_t address);

/* The folder that a process has as its root, to be closed; -1: it may not be had. */
int os_process_root(const struct os_process *process);

/*
 * Opens a regular file below the folder `root` to be read, where links lead nowhere but below it.
 * Returns a descriptor or -1.
 */
int os_open_below(int root, const char *path);

#endif
