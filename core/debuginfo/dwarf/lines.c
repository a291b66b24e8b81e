/* SPDX-License-Identifier: MIT */
/* Reads the rows of a unit's line number program into sorted sequences. */
#include "lines.h"

#include "lines_parts.h"

#include "base/order.h"
#include "base/range.h"

#include <stdlib.h>
#include <string.h>

void lines_clear(struct lines *lines)
{
	lines->files = lines->directories = lines->rows = lines->sequences = 0;
	lines->bytes = 0;
	lines->passed = 0;
	lines->file_set++;
	lines->fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
}

void lines_finish(struct lines *lines)
{
	free(lines->file);
	free(lines->directory);
	free(lines->row);
	free(lines->sequence);
	free(lines->cut);
	*lines = (struct lines){ .file = NULL };
}

bool lines_repeats_last_row(const struct lines *lines, const struct function_row *rows,
                            size_t count, const struct function_row *row)
{
	return !row->statement && function_row_repeats(rows, count, row) &&
	       (!lines->every_row || rows[count - 1].va == row->va);
}

/*
 * Of rows at one address the last shows where its instruction belongs.  Those before it are of use
 * to debuggers only, and only where a statement begins.
 */
static bool append_line_row(struct lines *lines, size_t first, struct function_row row)
{
	const struct function_row *last = lines->rows > first ? &lines->row[lines->rows - 1] : NULL;

	if (last && last->va == row.va && !last->statement) {
		lines->rows--;
		row.prologue_end |= last->prologue_end;
		last = lines->rows > first ? last - 1 : NULL;
	}
	if (last && lines_repeats_last_row(lines, lines->row + first, lines->rows - first, &row))
		return true;
	if (!budget_room(lines->budget, &lines->row, &lines->row_room, lines->rows + 1,
	                 sizeof(row)))
		return false;
	lines->row[lines->rows++] = row;
	return true;
}

static bool store_sequence(struct lines *lines, struct lines_sequence sequence)
{
	if (!budget_room(lines->budget, &lines->sequence, &lines->sequence_room,
	                 lines->sequences + 1, sizeof(sequence)))
		return false;
	sequence.order = lines->sequences;
	lines->sequence[lines->sequences++] = sequence;
	return true;
}

/* The rows from `sequence->first` on are one, up to `high`; those of no use are forgotten. */
static bool append_sequence(struct lines *lines, const struct lines_source *source,
                            struct lines_sequence sequence, uint64_t high)
{
	sequence.count = lines->rows - sequence.first;
	sequence.high = high;
	if (sequence.count > 0)
		sequence.low = lines->row[sequence.first].va;
	if (sequence.count == 0 || high <= sequence.low ||
	    !code_ranges_find(source->text, sequence.low)) {
		lines->rows = sequence.first;
		return true;
	}
	return store_sequence(lines, sequence);
}

/*
 * Does the row go on with the line of the one before, whose blocks have discriminators?  To be asked of each row in
 * turn.  GDB passes over such rows in record_line(), its reader of DWARF, because of discriminators, which symbol
 * formats do not record: it would take the rows from us.
 */
static bool passed_over(struct passed *before, const struct dwarf_row *row)
{
	const bool same = before->any && before->line == row->line && before->file == row->file;
	/* GDB ignores what is not a statement where one begins in another file: the row before stays */
	before->hides = before->any && before->va == row->va && !row->statement &&
	                before->statement && before->file != row->file;

	if (!before->hides) {
		before->file = row->file;
		before->line = row->line;
	}
	before->statement =
		row->statement || (before->any && before->va == row->va && before->statement);
	before->va = row->va;
	before->any = true;
	return same && row->discriminated;
}

/* Is it of no use to GDB, and does it go on with what we have? */
static bool is_passed_over(struct lines *lines, size_t first, const struct dwarf_row *row)
{
	const struct function_row *last = lines->rows > first ? &lines->row[lines->rows - 1] : NULL;

	return passed_over(&lines->before, row) && lines->every_row && last &&
	       last->line == row->line && last->file == lines_file(lines, row->file);
}

/* Where addresses go back, a new sequence begins. */
static bool split_sequence(struct lines *lines, const struct lines_source *source, uint64_t va,
                           struct lines_sequence *open)
{
	bool any = lines->rows > open->first;
	uint64_t last = any ? lines->row[lines->rows - 1].va : 0;

	if (!any || va >= last)
		return true;
	if (!append_sequence(lines, source, *open, last))
		return false;
	open->first = lines->rows;
	lines->before.any = false;
	return true;
}

/* One row of the program. */
static bool add_program_row(struct lines *lines, const struct lines_source *source,
                            const struct dwarf_row *row, struct lines_sequence *open)
{
	open->offset = row->sequence;
	if (!split_sequence(lines, source, row->va, open))
		return false;
	if (row->kind == DWARF_ROW) {
		/* its column is of use to lookups */
		const bool passed = is_passed_over(lines, open->first, row);
		if (passed && !lines->columns)
			return true;
		/* a statement that was passed over hides this row, too */
		if (lines->every_row && lines->before.hides && lines->rows > open->first &&
		    lines->row[lines->rows - 1].va != row->va) {
			const struct function_row hiding = {
				.va = row->va,
				.file = lines_file(lines, lines->before.file),
				.line = lines->before.line,
				.statement = true,
			};
			if (!append_line_row(lines, open->first, hiding))
				return false;
		}
		const bool marked = lines->every_row && !passed;
		struct function_row plain = { row->va,
			                      lines_file(lines, row->file),
			                      row->line,
			                      marked && row->statement,
			                      marked && row->prologue_end,
			                      false,
			                      lines->columns ? row->column : 0 };
		return append_line_row(lines, open->first, plain);
	}
	lines->before.any = false;
	if (!append_sequence(lines, source, *open, row->va))
		return false;
	open->first = lines->rows;
	return true;
}

/* As many rows as state a place and nothing else; GDB needs to know more of each. */
static bool read_places(struct lines *lines, struct dwarf_line *line, size_t first)
{
	struct dwarf_places places = { .files = lines->files,
		                       .first_file = lines->from_zero,
		                       .columns = lines->columns };

	if (lines->from_zero && lines->files > 0)
		places.files--;
	do {
		if (!budget_room(lines->budget, &lines->row, &lines->row_room, lines->rows + 1,
		                 sizeof(*lines->row)))
			return false;
		places.row = lines->row + first;
		places.count = lines->rows - first;
		places.room = lines->row_room - first;
		dwarf_append_places(line, &places);
		lines->rows = first + places.count;
	} while (places.count == places.room);
	return true;
}

enum reading { READING_FAILED, READING_ON, READING_OVER };

/* Up to the end of the sequence that begins here. */
static enum reading read_sequence(struct lines *lines, const struct lines_source *source,
                                  struct dwarf_line *line)
{
	struct lines_sequence open = { .first = lines->rows };
	struct dwarf_row row = { .kind = DWARF_ROW };

	lines->before.any = false;
	while (row.kind != DWARF_ROW_END) {
		if (!lines->every_row && !read_places(lines, line, open.first))
			return READING_FAILED;
		if (!dwarf_next_row(line, &row)) {
			lines->rows =
				open.first; /* without its end: nobody knows how far it reaches */
			return READING_OVER;
		}
		bool ok = row.kind == DWARF_ROW_FILE ? lines_add_file(lines, source, &row.added)
		                                     : add_program_row(lines, source, &row, &open);
		if (!ok)
			return READING_FAILED;
	}
	return READING_ON;
}

enum passing {
	PASSING_DONE,
	PASSING_OVER, /* the program ended */
	PASSING_ODD,  /* it is to be read: addresses go back, or files are added */
};

/* Over the sequence that begins here; of its rows only the first and last address are found. */
static enum passing pass_sequence(struct dwarf_line *line, struct lines_sequence *passed)
{
	struct dwarf_row row = { .kind = DWARF_ROW };
	bool any = false;

	while (row.kind != DWARF_ROW_END) {
		if (any)
			dwarf_pass_places(line);
		if (!dwarf_next_row(line, &row))
			return PASSING_OVER;
		if (row.kind == DWARF_ROW_FILE || (any && row.va < passed->high))
			return PASSING_ODD;
		passed->low = any ? passed->low : row.va;
		passed->high = row.va;
		passed->offset = row.sequence;
		any = true;
	}
	return PASSING_DONE;
}

static bool is_asked(const struct lines *lines, const struct lines_sequence *sequence)
{
	const struct cairn_range range = { sequence->low, sequence->high };

	return range_touches(range, lines->asked, lines->asked_count);
}

/* The same as read_sequence(), without the rows of code that nobody asks for. */
static enum reading read_asked_sequence(struct lines *lines, const struct lines_source *source,
                                        struct dwarf_line *line)
{
	const struct dwarf_line start = *line;
	struct lines_sequence passed = { .first = lines->rows };
	enum passing passing = pass_sequence(line, &passed);

	if (passing == PASSING_OVER)
		return READING_OVER;
	if (passing == PASSING_ODD || is_asked(lines, &passed)) {
		*line = start;
		return read_sequence(lines, source, line);
	}
	if (passed.high <= passed.low || !code_ranges_find(source->text, passed.low))
		return READING_ON;
	lines->passed++;
	return store_sequence(lines, passed) ? READING_ON : READING_FAILED;
}

static bool read_rows(struct lines *lines, const struct lines_source *source,
                      struct dwarf_line *line)
{
	const bool is_whole = lines->every_row || lines->asked_count == 0;
	enum reading reading = READING_ON;

	while (reading == READING_ON)
		reading = is_whole ? read_sequence(lines, source, line)
		                   : read_asked_sequence(lines, source, line);
	return reading == READING_OVER;
}

static int compare_sequences(const void *left, const void *right)
{
	const struct lines_sequence *a = left, *b = right;

	return ORDER_BY(a->low, b->low, ORDER_BY(a->order, b->order, 0));
}

static void sort_sequences(struct lines *lines)
{
	uint64_t reach = 0;

	if (lines->sequences > 1)
		qsort(lines->sequence, lines->sequences, sizeof(*lines->sequence),
		      compare_sequences);
	for (size_t i = 0; i < lines->sequences; i++) {
		reach = lines->sequence[i].high > reach ? lines->sequence[i].high : reach;
		lines->sequence[i].reach = reach;
	}
}

bool lines_read(struct lines *lines, const struct lines_source *source, uint64_t offset)
{
	struct dwarf_line line;

	lines_clear(lines);
	lines->source = *source;
	lines->unit = *source->unit;
	lines->bases = *source->bases;
	lines->offset = offset;
	if (dwarf_open_line(source->sections, offset, source->unit->address_size, &line,
	                    &lines->fault) != CAIRN_OK)
		return true;
	lines->bytes = (uint64_t)(line.end - line.at);
	if (!budget_work(lines->budget, lines->bytes) || !lines_read_files(lines, source, &line) ||
	    !read_rows(lines, source, &line))
		return false;
	lines->fault = line.fault;
	sort_sequences(lines);
	return true;
}

bool lines_read_all(struct lines *lines)
{
	const struct dwarf_unit unit = lines->unit;
	const struct dwarf_bases bases = lines->bases;
	const size_t asked_count = lines->asked_count;
	struct lines_source source = lines->source;

	source.unit = &unit;
	source.bases = &bases;
	lines->asked_count = 0;
	const bool ok = lines_read(lines, &source, lines->offset);
	lines->asked_count = asked_count;
	return ok;
}
