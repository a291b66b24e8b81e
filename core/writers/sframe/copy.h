/* SPDX-License-Identifier: MIT */
/*
 * Functions of existing SFrame tables, of any version, into a draft:
 *
 *	struct sframe_copy copy = { .draft = &draft, .rows = rows };
 *	sframe_copy_function(&copy, &table, index, start, size);     ... in ascending order of start
 *
 * Each address gets the rule that a lookup finds for it.  What the draft's version cannot say is left out and counted.
 */
#ifndef CAIRN_WRITERS_SFRAME_COPY_H
#define CAIRN_WRITERS_SFRAME_COPY_H

#include "base/allowance.h"
#include "formats/sframe/sframe.h"

#include "table.h"

struct sframe_copy {
	struct sframe_draft *draft;
	struct allowance rows; /* how many may be read: functions may share them */
	uint64_t described;    /* bytes of code that have a row, or had one but for a fault */
	uint64_t written;
	uint64_t left_out[CAIRN_SFRAME_LOSSES]; /* bytes */
	uint64_t damaged;                       /* functions that could not be read completely, */
	struct cairn_fault fault;               /* and what is wrong with the first */
};

/* `start`: the va of the function, wherever its table says it is; `size`: how much of it counts. */
void sframe_copy_function(struct sframe_copy *copy, const struct sframe_table *table,
                          uint32_t index, uint64_t start, uint32_t size);

/* Notes a table or a function that cannot be read. */
void sframe_copy_damage(struct sframe_copy *copy, const struct cairn_fault *fault);

#endif
