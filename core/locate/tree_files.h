/* SPDX-License-Identifier: MIT */
/* The ELF files below a directory that have a build ID, and of those with one build ID the one that knows most. */
#ifndef CAIRN_LOCATE_TREE_FILES_H
#define CAIRN_LOCATE_TREE_FILES_H

#include "formats/elf/elf.h"

enum { TREE_BUILD_ID_MAX = 64 };

struct tree_file {
	char *path;
	uint8_t build_id[TREE_BUILD_ID_MAX];
	uint8_t size;    /* of the build ID */
	uint8_t quality; /* by rate(); the more, the better */
};

/* Begins with the two callbacks, and zeros. */
struct tree_files {
	uint8_t (*rate)(const struct elf *elf);
	void (*unreadable)(const char *path, int error); /* called for a directory or a file */
	struct tree_file *file;                          /* by path */
	size_t count, room;
	uint64_t seen;             /* regular files below the directory */
	uint64_t unnamed;          /* ELF files without a build ID */
	uint64_t unreadable_count; /* directories and files */
};

/* Find the files. Links are not followed. Return false if memory is short. */
bool tree_files_find(struct tree_files *files, const char *folder);

void tree_files_free(struct tree_files *files);

#endif
