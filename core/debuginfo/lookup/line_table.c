/* SPDX-License-Identifier: MIT */
/* Reads a line table into sequences and marks, and finds the row of an address from there. */
#include "line_table.h"

#include <stdlib.h>

/* The sequence that is being read. */
struct open_sequence {
	bool any; /* row of it */
	uint64_t low, last;
	size_t first;  /* mark */
	unsigned rows; /* since the last mark */
};

static bool add_mark(struct line_table *table, const struct dwarf_line *line, struct budget *budget)
{
	if (!budget_room(budget, &table->mark, &table->mark_room, table->marks + 1,
	                 sizeof(*table->mark)))
		return false;
	table->mark[table->marks++] = (struct line_mark){
		.va = line->va,
		.file = line->file,
		.at = (uint64_t)(line->at - line->sections->line.data),
		.line = line->row_line,
		.column = line->row_column,
		.index = line->index,
	};
	return true;
}

static bool close_sequence(struct line_table *table, struct open_sequence *open, uint64_t high,
                           struct budget *budget)
{
	bool any = open->any;

	open->any = false;
	if (!any || high <= open->low) {
		if (any)
			table->marks = open->first;
		return true;
	}
	if (!budget_room(budget, &table->sequence, &table->sequence_room, table->sequences + 1,
	                 sizeof(*table->sequence)))
		return false;
	table->sequence[table->sequences++] =
		(struct line_sequence){ open->low, high, open->first, table->marks - open->first };
	return true;
}

/* One row of the program.  Where addresses go back, a new sequence begins. */
static bool add_row(struct line_table *table, const struct dwarf_line *line,
                    const struct dwarf_row *row, struct open_sequence *open, struct budget *budget)
{
	if (open->any && row->va < open->last && !close_sequence(table, open, open->last, budget))
		return false;
	if (row->kind == DWARF_ROW_END)
		return close_sequence(table, open, row->va, budget);
	open->last = row->va;
	if (open->any && ++open->rows < LINE_TABLE_STEP)
		return true;
	if (!open->any) {
		open->any = true;
		open->low = row->va;
		open->first = table->marks;
	}
	open->rows = 0;
	return add_mark(table, line, budget);
}

static bool read_rows(struct line_table *table, struct dwarf_line *line, struct budget *budget)
{
	struct open_sequence open = { .any = false };
	struct dwarf_row row;

	while (dwarf_next_row(line, &row)) {
		bool ok = row.kind == DWARF_ROW_FILE
		                  ? line_files_add(&table->files, line, &row.added, budget)
		                  : add_row(table, line, &row, &open, budget);
		if (!ok)
			return false;
	}
	if (open.any) /* without its end: nobody knows how far it reaches */
		table->marks = open.first;
	return true;
}

static int compare_sequences(const void *left, const void *right)
{
	const struct line_sequence *a = left, *b = right;

	if (a->high != b->high)
		return a->high < b->high ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

bool line_table_read(struct line_table *table, const struct dwarf_sections *sections,
                     uint64_t offset, uint8_t address_size, struct cairn_bytes comp_dir,
                     struct budget *budget)
{
	struct cairn_fault fault;

	*table = (struct line_table){ .marks = 0 };
	if (dwarf_open_line(sections, offset, address_size, &table->program, &fault) != CAIRN_OK)
		return true;
	if (!budget_work(budget, (uint64_t)(table->program.end - table->program.at)) ||
	    !line_files_read(&table->files, &table->program, comp_dir, budget))
		return false;
	struct dwarf_line line = table->program;
	if (!read_rows(table, &line, budget))
		return false;
	if (table->sequences > 1)
		qsort(table->sequence, table->sequences, sizeof(*table->sequence),
		      compare_sequences);
	return true;
}

void line_table_finish(struct line_table *table)
{
	line_files_finish(&table->files);
	free(table->mark);
	free(table->sequence);
	*table = (struct line_table){ .marks = 0 };
}

static const struct line_sequence *find_sequence(const struct line_table *table, uint64_t va)
{
	size_t low = 0, high = table->sequences;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (table->sequence[middle].high <= va)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i < table->sequences && i - low < LINE_TABLE_SEQUENCES; i++)
		if (table->sequence[i].low <= va)
			return &table->sequence[i];
	return NULL;
}

/* The last mark of a sequence at or below an address of it. */
static const struct line_mark *find_mark(const struct line_table *table,
                                         const struct line_sequence *sequence, uint64_t va)
{
	size_t low = sequence->first, high = low + sequence->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (table->mark[middle].va <= va)
			low = middle;
		else
			high = middle;
	}
	return &table->mark[low];
}

/* The program as it was at a mark. */
static struct dwarf_line resume_program(const struct line_table *table,
                                        const struct line_mark *mark)
{
	struct dwarf_line line = table->program;

	line.at = line.sections->line.data + mark->at;
	line.va = mark->va;
	line.file = mark->file;
	line.row_line = mark->line;
	line.row_column = mark->column;
	line.index = mark->index;
	return line;
}

/* From a row that is at or below the address to the last such row of the sequence. */
static void run_to_address(struct dwarf_line *line, uint64_t va, struct dwarf_row *row)
{
	struct dwarf_row next;

	while (dwarf_next_row(line, &next)) {
		if (next.kind == DWARF_ROW_FILE)
			continue;
		if (next.kind == DWARF_ROW_END || next.va > va || next.va < row->va)
			return;
		*row = next;
	}
}

bool line_table_find(const struct line_table *table, uint64_t va, struct budget *budget,
                     struct dwarf_row *row)
{
	const struct line_sequence *sequence = find_sequence(table, va);

	if (!sequence)
		return false;
	const struct line_mark *mark = find_mark(table, sequence, va);
	struct dwarf_line line = resume_program(table, mark);
	const uint8_t *from = line.at;
	*row = (struct dwarf_row){ .kind = DWARF_ROW,
		                   .va = mark->va,
		                   .file = mark->file,
		                   .line = mark->line,
		                   .column = mark->column };
	run_to_address(&line, va, row);
	size_t ran = (size_t)(line.at - from);
	return ran <= LINE_TABLE_FREE || budget_work(budget, ran);
}
