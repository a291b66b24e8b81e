/* SPDX-License-Identifier: MIT */
/* Collects, sorts and copies the functions of SFrame sections. */
#include "gather.h"

#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>

enum {
	POLL_FUNCTIONS = 1 << 10,
	ROWS_LEAST = 1 << 16, /* limit of rows for a file of any size */
	/* Additional rows per byte of row data, because functions can share rows. */
	ROWS_TIMES = 4,
};

static bool list_table(struct sframe_gathering *all, uint32_t number,
                       bool (*place)(const void *context, uint64_t *start, uint32_t size),
                       const void *context)
{
	const uint32_t section = (uint32_t)all->sections - 1;
	const struct sframe_table *table = &all->section[section].tables[number];

	all->row_bytes += table->rows_size;
	for (uint32_t i = 0; i < table->functions; i++) {
		struct sframe_gathered f = { .section = section, .table = number, .index = i };
		sframe_extent(table, i, &f.start, &f.size);
		if (f.size == 0)
			continue;
		all->functions++;
		if (!sframe_is_placed(table, f.start) ||
		    (place && !place(context, &f.start, f.size))) {
			all->discarded++;
			all->discarded_code += f.size;
		} else if (!ARRAY_APPEND(all->list, all->count, all->room, f)) {
			return false;
		}
	}
	return true;
}

bool sframe_gather(struct sframe_gathering *all, struct cairn_rules *rules,
                   bool (*place)(const void *context, uint64_t *start, uint32_t size),
                   const void *context)
{
	if (!array_grow(&all->section, &all->section_room, all->sections + 1,
	                sizeof(*all->section))) {
		cairn_rules_free(rules);
		return false;
	}
	struct sframe_gathered_section *own = &all->section[all->sections++];
	*own = (struct sframe_gathered_section){ rules->tables, rules->starts, rules->table_count };
	rules->tables = NULL;
	rules->starts = NULL;
	rules->table_count = 0;
	cairn_rules_free(rules);
	for (size_t i = 0; i < own->table_count; i++)
		if (!list_table(all, (uint32_t)i, place, context))
			return false;
	return true;
}

static int compare_gathered(const void *left, const void *right)
{
	const struct sframe_gathered *a = left, *b = right;

	return ORDER_BY(a->start, b->start,
	                ORDER_BY(a->section, b->section,
	                         ORDER_BY(a->table, b->table, ORDER_BY(a->index, b->index, 0))));
}

void sframe_gathering_sort(struct sframe_gathering *all)
{
	size_t kept = 0;

	if (all->count > 0)
		qsort(all->list, all->count, sizeof(*all->list), compare_gathered);
	for (size_t i = 0; i < all->count; i++) {
		const struct sframe_gathered f = all->list[i];
		if (i + 1 < all->count && all->list[i + 1].start == f.start)
			continue;
		all->list[kept++] = f;
	}
	all->count = kept;
	for (size_t i = 0; i + 1 < kept; i++)
		if (all->list[i + 1].start - all->list[i].start < all->list[i].size)
			all->list[i].size = (uint32_t)(all->list[i + 1].start - all->list[i].start);
}

void sframe_gathering_copy(const struct sframe_gathering *all, struct sframe_work *work)
{
	const struct cairn_sframe_options *options = work->options;
	struct sframe_copy copy = { &work->draft, &work->made,
		                    allowance_of(ROWS_LEAST, ROWS_TIMES, all->row_bytes) };

	for (size_t i = 0; i < all->count && !work->draft.failed; i++) {
		const struct sframe_gathered *f = &all->list[i];
		if (options->poll && i % POLL_FUNCTIONS == 0)
			options->poll(options->poll_context);
		sframe_copy_function(&copy, &all->section[f->section].tables[f->table], f->index,
		                     f->start, f->size);
	}
}

void sframe_gathering_finish(struct sframe_gathering *all)
{
	for (size_t i = 0; i < all->sections; i++) {
		free(all->section[i].tables);
		free(all->section[i].starts);
	}
	free(all->section);
	free(all->list);
	*all = (struct sframe_gathering){ .count = 0 };
}
