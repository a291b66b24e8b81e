/* SPDX-License-Identifier: MIT */
/* One run of `cairn sframe create`. */
#ifndef CAIRN_CLI_SFRAME_CREATE_CREATE_H
#define CAIRN_CLI_SFRAME_CREATE_CREATE_H

#include "made.h"

#include "formats/elf/elf.h"

struct sframe_creation {
	struct sframe_making making;
	const char *tree; /* a folder of inputs; then making.out is the folder of a store */
	const char *
		core; /* a core, of whose modules tables are made; then making.out is such a folder, too */
	const char *
		directory; /* DIR:DIR, where files of its modules are looked for; NULL: in the system's tree alone */
	uint64_t jobs;
};

/* create.c: makes the table of one input; an exit status, and *made is filled if it is EXIT_CLEAN. */
int sframe_create_file(const struct sframe_making *making, const char *input, const char *path,
                       struct cairn_sframe_file *made);

/* tree.c: all of a folder; an exit status. */
int sframe_create_tree(const struct sframe_creation *creation);

/* 2: the program itself; 1: a debug file with call frame information of its own; 0: there is none */
uint8_t sframe_rate_frames(const struct elf *elf);

/* core.c: all modules of a core; an exit status. */
int sframe_create_core(const struct sframe_creation *creation);

#endif
