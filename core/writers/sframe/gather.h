/* SPDX-License-Identifier: MIT */
/*
 * Collects the functions of existing SFrame tables, of any version, in address order, and copies
 * them into one new table. Each address gets the rule that a lookup would find. Rules that the new
 * table's version cannot express are skipped and counted. The bytes of the existing tables are
 * borrowed and must stay valid, although sframe_gather() frees `rules`.
 *
 *	struct sframe_gathering all = { .count = 0 };
 *	sframe_gather(&all, rules, place, context);     ... for each section; empties the rules
 *	sframe_gathering_sort(&all);
 *	sframe_gathering_copy(&all, &work);
 *	sframe_gathering_finish(&all);
 */
#ifndef CAIRN_WRITERS_SFRAME_GATHER_H
#define CAIRN_WRITERS_SFRAME_GATHER_H

#include "output.h"

#include "base/allowance.h"
#include "formats/sframe/sframe.h"
#include "unwind/tables/sframe_rules.h"

struct sframe_gathered {
	uint64_t start;
	uint32_t size;
	uint32_t section, table, index;
};

struct sframe_gathered_section {
	struct sframe_table *tables;
	uint64_t *starts; /* array of function starts, which `tables` may point to */
	size_t table_count;
};

struct sframe_gathering {
	struct sframe_gathered *list;
	size_t count, capacity;
	struct sframe_gathered_section *section;
	size_t sections, section_capacity;
	uint64_t functions, discarded;
	uint64_t discarded_code;
	uint64_t row_bytes;
};

/*
 * Add all functions in a section. Takes ownership of the tables in `rules`, and frees `rules`.
 * `place` converts the start of a function to an address in the program, or returns false if the
 * linker discarded the function. If `place` is NULL, starts are already program addresses. Returns
 * false if allocation fails.
 */
bool sframe_gather(struct sframe_gathering *all, struct cairn_rules *rules,
                   bool (*place)(const void *context, uint64_t *start, uint32_t size),
                   const void *context);

/*
 * Sort the functions. As in lookups, the last of several functions with the same start is used, and
 * a function ends where the next one begins.
 */
void sframe_gathering_sort(struct sframe_gathering *all);
void sframe_gathering_copy(const struct sframe_gathering *all, struct sframe_work *work);
void sframe_gathering_finish(struct sframe_gathering *all);

#endif
