/* SPDX-License-Identifier: MIT */
/*
 * Copies functions of existing SFrame tables, of any version, into a draft:
 *
 *	struct sframe_copy copy = { .draft = &draft, .made = &made, .rows = rows };
 *	sframe_copy_function(&copy, &table, index, start, size);     ... in ascending order of start
 *
 * Each address gets the rule that a lookup finds for it. Rules that the draft's version cannot
 * express are skipped and counted.
 */
#ifndef CAIRN_WRITERS_SFRAME_COPY_H
#define CAIRN_WRITERS_SFRAME_COPY_H

#include "base/allowance.h"
#include "formats/sframe/sframe.h"

#include "work.h"

struct sframe_copy {
	struct sframe_draft *draft;
	struct cairn_sframe_file *made; /* receives the statistics about the code */
	/* Number of rows that may be read; limited because functions can share rows. */
	struct allowance rows;
};

/*
 * Copy one function. `start` is its va, which may differ from the one in its table; only the first
 * `size` bytes are copied.
 */
void sframe_copy_function(struct sframe_copy *copy, const struct sframe_table *table,
                          uint32_t index, uint64_t start, uint32_t size);

#endif
