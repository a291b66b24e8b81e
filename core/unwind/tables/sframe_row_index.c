/* SPDX-License-Identifier: MIT */
/* Builds the sorted array of FREs with its page table and searches it for an address. */
#include "sframe_row_index.h"

#include "base/memory.h"

#include "sframe_rule_pool.h"

#include <stdlib.h>

enum {
	MIN_ROW_BYTES = 2,
};

struct row_index_entry {
	uint32_t start; /* offset from flat.base */
	uint32_t shape; /* RULE_POOL_NONE: look it up in the table */
};

/*
 * The row and function in force at the start of a page. Both searches start here, so they do not
 * depend on each other.
 */
struct row_index_page {
	uint32_t row;
	uint32_t function;
};

struct row_index {
	uint64_t base;
	struct row_index_entry *rows;
	size_t room;
	uint32_t count;
	uint32_t seen, limit; /* rows read, and their limit, because functions may share rows */
	/* 2^shift bytes each; one more entry has the last row and function */
	struct row_index_page *pages;
	uint32_t page_count;
	unsigned shift;
	struct rule_pool shapes;
};

/* Append a row. `start` is an offset from flat->base and below 2^32, as the whole span is. */
static bool append_row_at(struct row_index *flat, uint64_t start, uint32_t shape)
{
	if (flat->count > 0 && flat->rows[flat->count - 1].start == start)
		flat->count--; /* the last row with a given start counts */
	return ARRAY_APPEND(flat->rows, flat->count, flat->room,
	                    (struct row_index_entry){ (uint32_t)start, shape });
}

/*
 * Append the rows of one function in [start, end). Anything the index cannot express gets
 * RULE_POOL_NONE.
 */
static bool append_function(struct row_index *flat, const struct cairn_rules *rules,
                            uint32_t number, uint64_t start, uint64_t end)
{
	const struct rules_function *entry = &rules->functions[number];
	const struct sframe_table *table = &rules->tables[entry->table];
	struct sframe_function f;
	struct cairn_fault fault;
	struct sframe_row row;

	if (sframe_function(table, entry->index, &f, &fault) != CAIRN_OK || f.masked || f.rows == 0)
		return append_row_at(flat, start, RULE_POOL_NONE);
	uint32_t before = flat->count;
	struct sframe_rows rows = sframe_rows(table, &f);
	if (!append_row_at(flat, start, RULE_POOL_NONE)) /* applies up to the first row */
		return false;
	while (sframe_next_row(&rows, &row) && row.start < end - start) {
		struct cairn_rule rule;
		uint32_t shape;
		if (++flat->seen > flat->limit)
			return false;
		if (sframe_rule(table, &f, &row, &rule, &fault) != CAIRN_OK)
			shape = RULE_POOL_NONE;
		else if (!rule_pool_add(&flat->shapes, &rule, &shape))
			return false;
		if (!append_row_at(flat, start + row.start, shape))
			return false;
	}
	/* the table decides per address which rows the fault affects */
	if (rows.fault.status != CAIRN_OK) {
		flat->count = before;
		return append_row_at(flat, start, RULE_POOL_NONE);
	}
	return true;
}

/*
 * Append all functions, each up to the next one. So if several have one start, the last one counts.
 */
static bool append_all(struct row_index *flat, const struct cairn_rules *rules)
{
	const struct rules_function *list = rules->functions;
	size_t count = rules->function_count;

	for (size_t i = 0; i < count; i++) {
		bool last = i + 1 == count;
		uint64_t start = list[i].start - flat->base, end = start + list[i].size;
		if (!last && list[i + 1].start - flat->base < end)
			end = list[i + 1].start - flat->base;
		if (!append_function(flat, rules, (uint32_t)i, start, end) ||
		    !append_row_at(flat, end, RULE_POOL_NONE))
			return false;
	}
	return true;
}

/* Build about one page for two rows: few rows to search, and 4 bytes of page table per row. */
static bool make_pages(struct row_index *flat, const struct cairn_rules *rules, uint64_t span)
{
	const struct rules_function *list = rules->functions;
	const uint32_t last = (uint32_t)rules->function_count - 1;
	struct row_index_page page = { 0, 0 };

	while (span >> flat->shift > flat->count / 2 + 1)
		flat->shift++;
	flat->page_count = (uint32_t)(span >> flat->shift) + 1;
	flat->pages = malloc((flat->page_count + 1ul) * sizeof(*flat->pages));
	if (!flat->pages)
		return false;
	for (uint32_t i = 0; i < flat->page_count; i++) {
		uint64_t start = (uint64_t)i << flat->shift;
		while (page.row + 1 < flat->count && flat->rows[page.row + 1].start <= start)
			page.row++;
		while (page.function < last && list[page.function + 1].start - flat->base <= start)
			page.function++;
		flat->pages[i] = page;
	}
	flat->pages[flat->page_count] = (struct row_index_page){ flat->count - 1, last };
	return true;
}

struct row_index *row_index_new(const struct cairn_rules *rules)
{
	const struct rules_function *list = rules->functions;
	size_t count = rules->function_count;
	uint64_t limit = rules->section.size / MIN_ROW_BYTES;

	if (count == 0 || count > UINT32_MAX / 8 || limit > UINT32_MAX / 8)
		return NULL;
	uint64_t reach = list[count - 1].start - list[0].start;
	uint64_t span = reach + list[count - 1].size;
	bool fits = reach < UINT32_MAX && span < UINT32_MAX; /* the sum may wrap */
	struct row_index *flat = fits ? calloc(1, sizeof(*flat)) : NULL;
	if (!flat)
		return NULL;
	flat->base = list[0].start;
	flat->limit = (uint32_t)limit;
	if (!append_all(flat, rules) || flat->count == 0 || !make_pages(flat, rules, span)) {
		row_index_free(flat);
		return NULL;
	}
	return flat;
}

void row_index_free(struct row_index *flat)
{
	if (!flat)
		return;
	rule_pool_finish(&flat->shapes);
	free(flat->pages);
	free(flat->rows);
	free(flat);
}

/* Return the last row in [first, last] that begins at or before `start`. The first one does. */
static const struct row_index_entry *row_before(const struct row_index *flat, uint32_t first,
                                                uint32_t last, uint32_t start)
{
	const struct row_index_entry *row = &flat->rows[first];

	for (uint32_t count = last - first + 1; count > 1;) {
		uint32_t half = count / 2;
		row = row[half].start <= start ? row + half : row;
		count -= half;
	}
	return row;
}

/* Return the last function in [first, last] that begins at or before `va`. The first one does. */
static const struct rules_function *function_before(const struct cairn_rules *rules, uint32_t first,
                                                    uint32_t last, uint64_t va)
{
	const struct rules_function *function = &rules->functions[first];

	for (uint32_t count = last - first + 1; count > 1;) {
		uint32_t half = count / 2;
		function = function[half].start <= va ? function + half : function;
		count -= half;
	}
	return function;
}

bool row_index_find(const struct row_index *flat, const struct cairn_rules *rules, uint64_t va,
                    struct cairn_rule *rule)
{
	uint64_t delta = va - flat->base;

	if (delta >> flat->shift >= flat->page_count)
		return false;
	const struct row_index_page *page = &flat->pages[delta >> flat->shift];
	const struct row_index_entry *row =
		row_before(flat, page[0].row, page[1].row, (uint32_t)delta);
	const struct rules_function *function =
		function_before(rules, page[0].function, page[1].function, va);
	if (row->shape == RULE_POOL_NONE)
		return false;
	const struct row_index_entry *next = row + 1;
	*rule = flat->shapes.rules[row->shape];
	rule->function = function->start;
	rule->function_end = function->start + function->size;
	rule->start = flat->base + row->start;
	rule->end = next < flat->rows + flat->count ? flat->base + next->start : rule->function_end;
	return true;
}
