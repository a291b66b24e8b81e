/* SPDX-License-Identifier: MIT */
/* Finds the ELF files with a build ID below a directory, and keeps the best file per build ID. */
#ifndef CAIRN_LOCATE_TREE_FILES_H
#define CAIRN_LOCATE_TREE_FILES_H

#include "formats/elf/elf.h"

enum { TREE_BUILD_ID_MAX = 64 };

struct tree_file {
	char *path;
	uint8_t build_id[TREE_BUILD_ID_MAX];
	uint8_t size;
	uint8_t quality; /* from rate(); higher is better */
};

/* Set the two callbacks, and the rest to zeros. */
struct tree_files {
	uint8_t (*rate)(const struct elf *elf);
	void (*unreadable)(const char *path, int error); /* called for directories and files */
	struct tree_file *file;                          /* sorted by path */
	size_t count, room;
	uint64_t seen;
	uint64_t unnamed; /* number of ELF files without a build ID */
	uint64_t unreadable_count;
};

/* Find the files. Does not follow symbolic links. Returns false if memory is short. */
bool tree_files_find(struct tree_files *files, const char *folder);

void tree_files_free(struct tree_files *files);

#endif
