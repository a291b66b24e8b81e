/* SPDX-License-Identifier: MIT */
/*
 * The functions of many SFrame sections in the order of their addresses, as one table has them.  Each section's tables
 * are kept with it; the bytes stay borrowed.
 *
 *	struct sframe_gathering all = { .count = 0 };
 *	sframe_gather(&all, rules, place, context);     ... each section; takes what the rules have
 *	sframe_gathering_sort(&all);
 *	sframe_gathering_copy(&all, &work);
 *	sframe_gathering_finish(&all);
 */
#ifndef CAIRN_WRITERS_SFRAME_GATHER_H
#define CAIRN_WRITERS_SFRAME_GATHER_H

#include "unwind/sframe/rules.h"

#include "copy.h"

struct sframe_gathered {
	uint64_t start; /* va */
	uint32_t size;  /* not 0 */
	uint32_t section, table, index;
};

struct sframe_gathered_section {
	struct sframe_table *tables;
	uint64_t *starts; /* which tables point into */
	size_t table_count;
};

struct sframe_gathering {
	struct sframe_gathered *list;
	size_t count, room;
	struct sframe_gathered_section *section;
	size_t sections, section_room;
	uint64_t functions, discarded; /* in the sections; of these no longer anywhere, */
	uint64_t discarded_code;       /* and their bytes */
	uint64_t row_bytes;            /* of all tables */
};

/*
 * Takes the tables out of `rules`, which is freed.  `place` moves a start to where it is in the program, or returns false
 * if the function is not there any more; NULL: the starts are addresses.  False when memory is short.
 */
bool sframe_gather(struct sframe_gathering *all, struct cairn_rules *rules,
                   bool (*place)(const void *context, uint64_t *start, uint32_t size),
                   const void *context);

/* The last function of those with one start counts, as in lookups, and a function ends where the next one begins. */
void sframe_gathering_sort(struct sframe_gathering *all);
/* Copies them to the draft. */
void sframe_gathering_copy(const struct sframe_gathering *all, struct sframe_work *work);
void sframe_gathering_finish(struct sframe_gathering *all);

#endif
