/* SPDX-License-Identifier: MIT */
/* One run of `cairn sframe create`. */
#ifndef CAIRN_CLI_SFRAME_CREATE_H
#define CAIRN_CLI_SFRAME_CREATE_H

#include "made.h"

struct sframe_creation {
	struct sframe_making making;
	const char *tree; /* a folder of inputs; then making.out is the folder of a store */
	uint64_t jobs;
};

/* create.c: makes the table of one input; an exit status, and *made is filled if it is EXIT_CLEAN. */
int sframe_create_file(const struct sframe_making *making, const char *input, const char *path,
                       struct cairn_sframe_file *made);

/* create_tree.c: all of a folder; an exit status. */
int sframe_create_tree(const struct sframe_creation *creation);

#endif
