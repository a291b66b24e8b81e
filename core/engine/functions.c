/* SPDX-License-Identifier: MIT */
/* The sorted list of all functions of a section: its making. */
#include "rules.h"

#include <stdlib.h>

static int ascending(const void *left, const void *right)
{
	const struct rules_function *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->table != b->table)
		return a->table < b->table ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* The records were counted against the section's size when the tables were opened. */
static size_t count_functions(const struct cairn_rules *rules)
{
	size_t count = 0;

	for (size_t i = 0; i < rules->table_count; i++)
		count += rules->tables[i].functions;
	return count;
}

enum cairn_status rules_list_functions(struct cairn_rules *rules)
{
	size_t room = count_functions(rules), count = 0;
	struct rules_function *list = malloc((room ? room : 1) * sizeof(*list));
	bool sorted = true;

	if (!list)
		return CAIRN_NO_MEMORY;
	for (size_t t = 0; t < rules->table_count; t++)
		for (uint32_t i = 0; i < rules->tables[t].functions; i++) {
			struct rules_function f = { .table = (uint32_t)t, .index = i };
			sframe_extent(&rules->tables[t], i, &f.start, &f.size);
			if (f.start == SFRAME_NO_START)
				continue;
			sorted = sorted && (count == 0 || list[count - 1].start <= f.start);
			list[count++] = f;
		}
	if (!sorted)
		qsort(list, count, sizeof(*list), ascending);
	rules->functions = list;
	rules->function_count = count;
	return CAIRN_OK;
}
