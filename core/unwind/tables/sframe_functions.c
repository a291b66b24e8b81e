/* SPDX-License-Identifier: MIT */
/* Builds the sorted list of all FDEs of a section. */
#include "sframe_rules.h"

#include "base/sort.h"

#include <stdlib.h>

static int compare_rules_functions(const void *left, const void *right)
{
	const struct rules_function *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->table != b->table)
		return a->table < b->table ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/*
 * The sum cannot be excessive: opening a table checks the number of records against the section's
 * size.
 */
size_t rules_count_functions(const struct cairn_rules *rules)
{
	size_t count = 0;

	for (size_t i = 0; i < rules->table_count; i++)
		count += rules->tables[i].functions;
	return count;
}

enum cairn_status rules_list_functions(struct cairn_rules *rules)
{
	size_t room = rules_count_functions(rules), count = 0;
	struct rules_function *list = malloc((room ? room : 1) * sizeof(*list));
	bool sorted = true;

	if (!list)
		return CAIRN_NO_MEMORY;
	for (size_t t = 0; t < rules->table_count; t++)
		for (uint32_t i = 0; i < rules->tables[t].functions; i++) {
			struct rules_function f = { .table = (uint32_t)t, .index = i };
			sframe_extent(&rules->tables[t], i, &f.start, &f.size);
			if (f.size == 0 || !sframe_is_placed(&rules->tables[t], f.start))
				continue;
			sorted = sorted && (count == 0 || list[count - 1].start <= f.start);
			list[count++] = f;
		}
	if (!sorted)
		qsort(list, count, sizeof(*list), compare_rules_functions);
	rules->functions = list;
	rules->function_count = count;
	return CAIRN_OK;
}

static bool read_function_at_start(const struct sframe_table *table, uint32_t index, uint64_t start,
                                   struct sframe_function *function)
{
	struct cairn_fault fault;

	return sframe_function(table, index, function, &fault) == CAIRN_OK &&
	       function->start == start && function->size > 0;
}

bool rules_function(const struct cairn_rules *rules, uint64_t start,
                    const struct sframe_table **table, struct sframe_function *function)
{
	uint32_t index;

	if (!rules->functions) {
		*table = rules->tables;
		return rules->table_count == 1 && sframe_find(*table, start, &index) &&
		       read_function_at_start(*table, index, start, function);
	}
	size_t i = SORTED_BELOW(rules->functions, rules->function_count, start, start), next = i;
	while (next < rules->function_count && rules->functions[next].start == start)
		i = next++;
	if (next == i)
		return false;
	*table = &rules->tables[rules->functions[i].table];
	return read_function_at_start(*table, rules->functions[i].index, start, function);
}
