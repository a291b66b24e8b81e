/* SPDX-License-Identifier: MIT */
/* Implements symbfile_scan() by reading the whole file. */
#include "scan.h"

#include "string_table.h"

#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>

/*
 * Sort by depth. Within one depth the winner comes first: the range that begins last, then the
 * shortest, then the last in the file.
 */
static int compare_found_ranges(const void *left, const void *right)
{
	const struct symbfile_found *a = left, *b = right;

	return ORDER_BY(
		a->depth, b->depth,
		ORDER_BY(b->start, a->start,
	                 ORDER_BY(a->length, b->length, ORDER_BY(b->offset, a->offset, 0))));
}

static uint32_t line_at(const struct symbfile_record *record, uint64_t offset)
{
	struct symbfile_rows rows = symbfile_rows(record);
	struct symbfile_row row;
	uint32_t line = 0;

	while (symbfile_next_row(&rows, &row) && row.offset <= offset)
		line = row.line;
	return line;
}

static void note_neighbour(struct symbfile_scan *scan, const struct symbfile_range *range,
                           uint64_t va)
{
	uint64_t end = symbfile_range_end(range->start, range->length);

	if (end <= va && (!scan->has_below || end > scan->below)) {
		scan->has_below = true;
		scan->below = end;
	}
	if (range->start > va && (!scan->has_above || range->start < scan->above)) {
		scan->has_above = true;
		scan->above = range->start;
	}
}

static bool collect_covering_range(struct symbfile_scan *scan, const struct symbfile_record *record,
                                   const struct symbfile_string_table *texts, uint64_t va)
{
	const struct symbfile_range *r = &record->range;

	scan->ranges++;
	if (!symbfile_range_holds(r->start, r->length, va)) {
		note_neighbour(scan, r, va);
		return true;
	}
	if (scan->count == SYMBFILE_SCAN_MAX) {
		scan->more++;
		return true;
	}
	if (!array_grow(&scan->found, &scan->room, scan->count + 1, sizeof(*scan->found)))
		return false;
	scan->found[scan->count++] = (struct symbfile_found){
		.start = r->start,
		.length = r->length,
		.offset = record->offset,
		.depth = r->depth,
		.call_line = r->call_line,
		.line = line_at(record, va - r->start),
		.function = symbfile_string_table_of(texts, &r->function),
		.file = symbfile_string_table_of(texts, &r->file),
		.call_file = symbfile_string_table_of(texts, &r->call_file),
		.has_file = r->file.kind != SYMBFILE_ABSENT,
		.has_call_file = r->call_file.kind != SYMBFILE_ABSENT,
		.has_lines = r->lines.count > 0,
	};
	return true;
}

static bool scan_symbfile_records(struct cairn_bytes bytes, uint64_t va, struct symbfile_scan *scan,
                                  struct symbfile_string_table *texts)
{
	struct symbfile file = symbfile_open(bytes);
	struct symbfile_record record;

	while (symbfile_next(&file, &record)) {
		if (record.kind == SYMBFILE_RANGE &&
		    !collect_covering_range(scan, &record, texts, va))
			return false;
		if (record.kind == SYMBFILE_RANGE)
			continue;
		if (record.kind == SYMBFILE_PAD)
			scan->pads++;
		else if (symbfile_string_table_load(texts, &record) != CAIRN_OK)
			return false;
	}
	scan->fault = symbfile_fault(&file);
	return true;
}

enum cairn_status symbfile_scan(struct cairn_bytes file, uint64_t va, struct symbfile_scan *scan)
{
	struct symbfile_string_table texts = { .count = 0 };

	*scan = (struct symbfile_scan){ .found = NULL };
	bool done = scan_symbfile_records(file, va, scan, &texts);
	symbfile_string_table_finish(&texts);
	if (!done) {
		symbfile_scan_finish(scan);
		return CAIRN_NO_MEMORY;
	}
	if (scan->count > 1)
		qsort(scan->found, scan->count, sizeof(*scan->found), compare_found_ranges);
	for (size_t i = 0; i < scan->count; i++)
		scan->found[i].counts = i == 0 || scan->found[i].depth != scan->found[i - 1].depth;
	return CAIRN_OK;
}

void symbfile_scan_finish(struct symbfile_scan *scan)
{
	free(scan->found);
	scan->found = NULL;
	scan->count = scan->room = 0;
}
