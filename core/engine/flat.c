/* SPDX-License-Identifier: MIT */
#include "flat.h"

#include "shapes.h"

#include <stdlib.h>

enum {
	MIN_ROW_BYTES = 2, /* the smallest row: its start and info byte */
	MIN_ROOM = 64,
};

struct flat_row {
	uint32_t start;    /* from flat.base */
	uint32_t shape;    /* SHAPES_NONE: ask the table */
	uint32_t function; /* in rules.functions */
};

struct flat {
	uint64_t base;
	struct flat_row *rows;
	uint32_t count, room;
	uint32_t seen, limit; /* rows read: functions may share theirs */
	uint32_t *pages; /* the first row of each page of 2^shift bytes, and one behind the last */
	uint32_t page_count;
	unsigned shift;
	struct shapes shapes;
};

/* `start` counts from flat->base and is below 2^32, as the whole span is. */
static bool append(struct flat *flat, uint64_t start, uint32_t shape, uint32_t function)
{
	if (flat->count > 0 && flat->rows[flat->count - 1].start == start)
		flat->count--; /* of two rows at one start the last wins */
	if (flat->count == flat->room) {
		uint32_t room = flat->room ? 2 * flat->room : MIN_ROOM;
		struct flat_row *grown = realloc(flat->rows, room * sizeof(*grown));
		if (!grown)
			return false;
		flat->rows = grown;
		flat->room = room;
	}
	flat->rows[flat->count++] = (struct flat_row){ (uint32_t)start, shape, function };
	return true;
}

/* The rows of one function in [start, end); what cannot be said in rows is marked. */
static bool append_function(struct flat *flat, const struct cairn_rules *rules, uint32_t number,
                            uint64_t start, uint64_t end)
{
	const struct rules_function *entry = &rules->functions[number];
	const struct sframe_table *table = &rules->tables[entry->table];
	struct sframe_function f;
	struct cairn_fault fault;
	struct sframe_row row;

	if (sframe_function(table, entry->index, &f, &fault) != CAIRN_OK || f.masked || f.rows == 0)
		return append(flat, start, SHAPES_NONE, number);
	uint32_t before = flat->count;
	struct sframe_rows rows = sframe_rows(table, &f);
	if (!append(flat, start, SHAPES_NONE, number)) /* until the first row */
		return false;
	while (sframe_next_row(&rows, &row) && row.start < end - start) {
		struct cairn_rule rule;
		uint32_t shape;
		if (++flat->seen > flat->limit)
			return false;
		if (sframe_rule(table, &f, &row, &rule, &fault) != CAIRN_OK)
			shape = SHAPES_NONE;
		else if (!shapes_intern(&flat->shapes, &rule, &shape))
			return false;
		if (!append(flat, start + row.start, shape, number))
			return false;
	}
	if (rows.fault.status != CAIRN_OK) { /* which rows are lost depends on the question */
		flat->count = before;
		return append(flat, start, SHAPES_NONE, number);
	}
	return true;
}

/* Each function up to the next; so of several with one start the last counts. */
static bool append_all(struct flat *flat, const struct cairn_rules *rules)
{
	const struct rules_function *list = rules->functions;
	size_t count = rules->function_count;

	for (size_t i = 0; i < count; i++) {
		bool last = i + 1 == count;
		uint64_t start = list[i].start - flat->base, end = start + list[i].size;
		if (!last && list[i + 1].start - flat->base < end)
			end = list[i + 1].start - flat->base;
		if (!append_function(flat, rules, (uint32_t)i, start, end) ||
		    !append(flat, end, SHAPES_NONE, (uint32_t)i))
			return false;
	}
	return true;
}

/* About one page for each row, so that a page holds few rows and pages cost 4 bytes a row. */
static bool make_pages(struct flat *flat, uint64_t span)
{
	while (span >> flat->shift > flat->count)
		flat->shift++;
	flat->page_count = (uint32_t)(span >> flat->shift) + 1;
	flat->pages = malloc((flat->page_count + 1ul) * sizeof(*flat->pages));
	if (!flat->pages)
		return false;
	uint32_t row = 0;
	for (uint32_t page = 0; page < flat->page_count; page++) {
		while (row < flat->count && flat->rows[row].start >> flat->shift < page)
			row++;
		flat->pages[page] = row;
	}
	flat->pages[flat->page_count] = flat->count;
	return true;
}

struct flat *flat_new(const struct cairn_rules *rules)
{
	const struct rules_function *list = rules->functions;
	size_t count = rules->function_count;
	uint64_t limit = rules->section.size / MIN_ROW_BYTES;

	if (count == 0 || count > UINT32_MAX / 8 || limit > UINT32_MAX / 8)
		return NULL;
	uint64_t reach = list[count - 1].start - list[0].start;
	uint64_t span = reach + list[count - 1].size;
	bool fits = reach < UINT32_MAX && span < UINT32_MAX; /* the sum may wrap */
	struct flat *flat = fits ? calloc(1, sizeof(*flat)) : NULL;
	if (!flat)
		return NULL;
	flat->base = list[0].start;
	flat->limit = (uint32_t)limit;
	if (!append_all(flat, rules) || flat->count == 0 || !make_pages(flat, span)) {
		flat_free(flat);
		return NULL;
	}
	return flat;
}

void flat_free(struct flat *flat)
{
	if (!flat)
		return;
	shapes_finish(&flat->shapes);
	free(flat->pages);
	free(flat->rows);
	free(flat);
}

/* The last row that begins at or before `start`; NULL when there is none. */
static const struct flat_row *row_before(const struct flat *flat, uint32_t start)
{
	uint32_t page = start >> flat->shift;
	uint32_t low = flat->pages[page], high = flat->pages[page + 1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (flat->rows[middle].start <= start)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &flat->rows[low - 1] : NULL;
}

bool flat_find(const struct flat *flat, const struct cairn_rules *rules, uint64_t va,
               struct cairn_rule *rule)
{
	uint64_t delta = va - flat->base;

	if (delta >> flat->shift >= flat->page_count)
		return false;
	const struct flat_row *row = row_before(flat, (uint32_t)delta);
	if (!row || row->shape == SHAPES_NONE)
		return false;
	const struct rules_function *function = &rules->functions[row->function];
	const struct flat_row *next = row + 1;
	*rule = flat->shapes.rules[row->shape];
	rule->function = function->start;
	rule->function_end = function->start + function->size;
	rule->start = flat->base + row->start;
	rule->end = next < flat->rows + flat->count ? flat->base + next->start : rule->function_end;
	return true;
}
