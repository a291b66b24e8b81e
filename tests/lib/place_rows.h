/* SPDX-License-Identifier: MIT */
/* The places of a line number program, read in one way and in the other: each row by itself, and by dwarf_append_places(). */
#ifndef CAIRN_TESTS_PLACE_ROWS_H
#define CAIRN_TESTS_PLACE_ROWS_H

#include "formats/dwarf/line.h"

enum { PLACES_MAX = 4096 };

/* Sequence after sequence; `first` is where the last one begins, which an end or an address that goes back does. */
struct place_rows {
	struct dwarf_line line;
	struct function_row row[PLACES_MAX];
	size_t count, first;
	uint64_t files;
	uint32_t first_file;
};

static inline void place_rows_begin(struct place_rows *p)
{
	p->first = p->count;
}

/* What the reader promises of a row, said as plainly as it can be. */
static inline void place_rows_add(struct place_rows *p, const struct dwarf_row *row)
{
	uint32_t file = row->file < p->files ? (uint32_t)row->file + p->first_file : 0;

	if (p->count > p->first && p->row[p->count - 1].va > row->va)
		place_rows_begin(p);
	if (p->count > p->first && p->row[p->count - 1].va == row->va)
		p->count--;
	if (p->count > p->first && p->row[p->count - 1].line == row->line &&
	    p->row[p->count - 1].file == file)
		return;
	p->row[p->count++] =
		(struct function_row){ .va = row->va, .file = file, .line = row->line };
}

/* One row as dwarf_next_row() has it; false at the end, and where there is no more room. */
static inline bool place_rows_next(struct place_rows *p, struct dwarf_row *row)
{
	if (p->count + 1 >= PLACES_MAX || !dwarf_next_row(&p->line, row))
		return false;
	if (row->kind == DWARF_ROW)
		place_rows_add(p, row);
	if (row->kind == DWARF_ROW_END)
		place_rows_begin(p);
	return true;
}

/* The same with as many rows at once as there are, with room for a few, so that it ends in the middle of programs. */
static inline bool place_rows_next_many(struct place_rows *p, struct dwarf_row *row)
{
	struct dwarf_places places = { .row = p->row + p->first,
		                       .count = p->count - p->first,
		                       .files = p->files,
		                       .first_file = p->first_file };

	do {
		places.capacity = places.count + 3;
		if (p->first + places.capacity >= PLACES_MAX)
			return false;
		dwarf_append_places(&p->line, &places);
	} while (places.count == places.capacity);
	p->count = p->first + places.count;
	return place_rows_next(p, row);
}

/* The next end of a sequence, with all its rows or without those that can be passed over; false: there is none. */
static inline bool place_rows_next_end(struct dwarf_line *line, bool passing, struct dwarf_row *end)
{
	do {
		if (passing)
			dwarf_pass_places(line);
		if (!dwarf_next_row(line, end))
			return false;
	} while (end->kind != DWARF_ROW_END);
	return true;
}

static inline bool place_rows_ends_agree(const struct dwarf_line *line)
{
	struct dwarf_line all = *line, few = *line;
	struct dwarf_row one, other;
	bool more = true;

	while (more) {
		more = place_rows_next_end(&all, false, &one);
		if (place_rows_next_end(&few, true, &other) != more)
			return false;
		if (more && (one.va != other.va || one.sequence != other.sequence))
			return false;
	}
	return all.fault.status == few.fault.status && all.fault.offset == few.fault.offset;
}

static inline bool place_rows_agree(const struct place_rows *a, const struct place_rows *b)
{
	for (size_t i = 0; i < a->count && i < b->count; i++)
		if (a->row[i].va != b->row[i].va || a->row[i].file != b->row[i].file ||
		    a->row[i].line != b->row[i].line || a->row[i].statement || b->row[i].statement)
			return false;
	return a->count == b->count && a->line.fault.status == b->line.fault.status &&
	       a->line.fault.offset == b->line.fault.offset;
}

#endif
