/* SPDX-License-Identifier: MIT */
/*
 * Functions of existing SFrame tables, of any version, into a draft:
 *
 *	struct sframe_copy copy = { .draft = &draft, .made = &made, .rows = rows };
 *	sframe_copy_function(&copy, &table, index, start, size);     ... in ascending order of start
 *
 * Each address gets the rule that a lookup finds for it.  What the draft's version cannot say is left out and counted.
 */
#ifndef CAIRN_WRITERS_SFRAME_COPY_H
#define CAIRN_WRITERS_SFRAME_COPY_H

#include "base/allowance.h"
#include "formats/sframe/sframe.h"

#include "work.h"

struct sframe_copy {
	struct sframe_draft *draft;
	struct cairn_sframe_file *made; /* what of the code is counted */
	struct allowance rows;          /* how many may be read: functions may share them */
};

/* `start`: the va of the function, wherever its table says it is; `size`: how much of it counts. */
void sframe_copy_function(struct sframe_copy *copy, const struct sframe_table *table,
                          uint32_t index, uint64_t start, uint32_t size);

#endif
