/* SPDX-License-Identifier: MIT */
/*
 * The line table of a unit, version 5: a sequence for each piece of a
 * function's code, so that what is between functions has no line.
 *
 * Most symbols have one row for an address.  Where an inlined call begins a
 * compiler's table has two: that of the call, and that of what is called.  The
 * first is put back here from the call, in front of the other, so that a
 * breakpoint on the line of the call finds it.
 */
#include "line_header.h"

#include "statements.h"
#include "writers/elf/parts.h"

#include <stdlib.h>

enum {
	OP_COPY = 1,
	OP_ADVANCE_PC = 2,
	OP_ADVANCE_LINE = 3,
	OP_SET_FILE = 4,
	OP_NEGATE_STATEMENT = 6,
	OP_CONST_ADD_PC = 8,
	OP_PROLOGUE_END = 10,
	EXTENDED_END = 1,
	EXTENDED_ADDRESS = 2,
	STEP_MAX = (255 - ELF_WRITER_OPCODE_BASE) /
	           ELF_WRITER_LINE_RANGE, /* of the address, by OP_CONST_ADD_PC */
};

/* The machine that runs a line program. */
struct machine {
	struct elf_writer *w;
	uint64_t va;
	int64_t line;
	uint32_t file;
	bool statement;
	size_t files; /* of the unit */
};

static void write_set_address(struct machine *m, uint64_t va)
{
	struct byte_buffer *b = &m->w->lines;

	byte_buffer_u8(b, 0);
	byte_buffer_uleb(b, 1 + m->w->word);
	byte_buffer_u8(b, EXTENDED_ADDRESS);
	byte_buffer_number(b, va, m->w->word);
	m->va = va;
	m->line = 1;
	m->file = 1;
	m->statement = true;
}

/* A row: by a special opcode where the steps are small, else step by step. */
static void write_row_opcodes(struct machine *m, uint64_t va, uint32_t file, int64_t line)
{
	struct byte_buffer *b = &m->w->lines;
	uint64_t step = va - m->va;
	int64_t lines = line - m->line;

	if (file != m->file) {
		byte_buffer_u8(b, OP_SET_FILE);
		byte_buffer_uleb(b, file);
	}
	if (lines < ELF_WRITER_LINE_BASE || lines >= ELF_WRITER_LINE_BASE + ELF_WRITER_LINE_RANGE) {
		byte_buffer_u8(b, OP_ADVANCE_LINE);
		byte_buffer_sleb(b, lines);
		lines = 0;
	}
	uint64_t special = (uint64_t)(lines - ELF_WRITER_LINE_BASE) + ELF_WRITER_OPCODE_BASE;
	if (step > STEP_MAX && step <= 2 * STEP_MAX) {
		byte_buffer_u8(b, OP_CONST_ADD_PC);
		step -= STEP_MAX;
	}
	if (step > STEP_MAX || special + step * ELF_WRITER_LINE_RANGE > UINT8_MAX) {
		byte_buffer_u8(b, OP_ADVANCE_PC);
		byte_buffer_uleb(b, step);
		step = 0;
	}
	byte_buffer_u8(b, (uint8_t)(special + step * ELF_WRITER_LINE_RANGE));
	m->va = va;
	m->file = file;
	m->line = line;
}

static void end_sequence(struct machine *m, uint64_t va)
{
	struct byte_buffer *b = &m->w->lines;

	byte_buffer_u8(b, OP_ADVANCE_PC);
	byte_buffer_uleb(b, va - m->va);
	byte_buffer_u8(b, 0);
	byte_buffer_u8(b, 1);
	byte_buffer_u8(b, EXTENDED_END);
}

struct row {
	uint64_t path;
	int64_t line;
	bool statement, prologue_end; /* when the function knows */
};

/* Rows of a record: all those of one address, and on to the next. */
struct rows {
	struct elf_writer_rows next; /* the row after the group, */
	bool more;                   /* if there is one */
	uint64_t va;                 /* of the group */
	struct row *row;
	size_t count, room;
};

/* The next group; false after the last, or when memory is short (then there is
 * no room). */
static bool next_group(struct rows *rows)
{
	struct elf_writer_rows *next = &rows->next;

	if (!rows->more)
		return false;
	rows->va = next->va;
	rows->count = 0;
	while (rows->more && next->va == rows->va) {
		if (!array_grow(&rows->row, &rows->room, rows->count + 1, sizeof(*rows->row)))
			return false;
		rows->row[rows->count++] =
			(struct row){ next->path, next->line, next->statement, next->prologue_end };
		rows->more = elf_writer_next_row(next);
	}
	return true;
}

/* Where an inlined call begins, and from where it is called. */
struct entry {
	uint64_t va;
	uint32_t order, path, line;
};

struct line_entries {
	struct entry *entry;
	size_t count, room, next;
};

static int compare_entries_by_address(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->va != b->va)
		return a->va < b->va ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Gathers the entries of one function, outer calls before inner ones. */
static bool gather_entries(struct line_entries *e, const struct elf_writer_function *f,
                           const uint8_t *record)
{
	e->count = e->next = 0;
	for (uint32_t i = 0; i < f->calls; i++) {
		struct entry entry = { .order = i };
		elf_writer_uleb(&record);
		elf_writer_uleb(&record);
		entry.path = (uint32_t)elf_writer_uleb(&record);
		entry.line = (uint32_t)elf_writer_uleb(&record);
		elf_writer_uleb(&record); /* where it is entered */
		uint64_t ranges = elf_writer_uleb(&record);
		for (uint64_t left = ranges; left > 0; left--) {
			uint64_t va = f->start + elf_writer_uleb(&record);
			elf_writer_uleb(&record);
			if (left == ranges)
				entry.va = va;
		}
		if (entry.path == 0 || entry.line == 0)
			continue;
		if (!array_grow(&e->entry, &e->room, e->count + 1, sizeof(entry)))
			return false;
		e->entry[e->count++] = entry;
	}
	if (e->count > 1)
		qsort(e->entry, e->count, sizeof(*e->entry), compare_entries_by_address);
	return true;
}

static void write_line_row(struct machine *m, uint64_t va, const struct row *row, bool statement)
{
	/* where nothing is known the file stays, if it is one: a program begins with
	 * number 1 */
	uint32_t known = m->file < m->files ? m->file : 0;
	uint32_t file = row->path ? m->w->file[row->path].local - 1 : known;

	if (statement != m->statement)
		byte_buffer_u8(&m->w->lines, OP_NEGATE_STATEMENT);
	m->statement = statement;
	if (row->prologue_end)
		byte_buffer_u8(&m->w->lines, OP_PROLOGUE_END);
	write_row_opcodes(m, va, file, row->path ? row->line : 0);
}

/* What the rows of one function are written by. */
struct row_sources {
	struct rows *rows;
	struct line_entries *calls;
	struct elf_writer_statements *statements;
	uint64_t start;
	bool known; /* where statements begin: the rows record it, */
	bool every; /* or each of them begins one */
};

static bool has_row(const struct rows *rows, const struct entry *e)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->row[i].path == e->path && rows->row[i].line == e->line)
			return true;
	return false;
}

/* See statements.h.  The function's own line stays the one of its start. */
static void write_opening_rows(struct machine *m, const struct row_sources *p)
{
	struct elf_writer_statements *s = p->statements;

	if (p->known || s->openings == 0 || p->rows->count > 1)
		return;
	for (size_t i = 0; i < s->openings; i++) {
		const struct row row = { .path = s->opening[i].path,
			                 .line = (int64_t)s->opening[i].line };
		write_line_row(m, p->start, &row, true);
		elf_writer_is_statement(s, row.path, (uint64_t)row.line, 0, 2);
	}
}

static bool is_statement(const struct row_sources *p, size_t i)
{
	const struct row *row = &p->rows->row[i];

	return p->known ? p->every || row->statement
	                : elf_writer_is_statement(p->statements, row->path, (uint64_t)row->line, i,
	                                          p->rows->count);
}

/* The rows of one address, after those of the calls that begin there. */
static void write_row_group(struct machine *m, const struct row_sources *p)
{
	const struct rows *rows = p->rows;
	struct line_entries *calls = p->calls;

	while (calls->next < calls->count && calls->entry[calls->next].va < rows->va)
		calls->next++;
	for (; calls->next < calls->count && calls->entry[calls->next].va == rows->va;
	     calls->next++) {
		const struct entry *e = &calls->entry[calls->next];
		const struct row row = { .path = e->path, .line = e->line };
		if (!p->known && !has_row(rows, e))
			write_line_row(m, rows->va, &row, true);
	}
	if (rows->va == p->start)
		write_opening_rows(m, p);
	for (size_t i = 0; i < rows->count; i++)
		write_line_row(m, rows->va, &rows->row[i], is_statement(p, i));
}

/* The rows that hold in one piece of code; `rows` is at those that hold at
 * its beginning. */
static void write_piece(struct machine *m, struct cairn_range piece, const struct row_sources *p)
{
	struct rows *rows = p->rows;

	while (rows->more && rows->next.va <= piece.low && next_group(rows))
		continue;
	write_set_address(m, piece.low);
	if (rows->va == piece.low)
		write_row_group(m, p);
	else
		write_line_row(m, piece.low, &rows->row[rows->count - 1], true);
	while (rows->more && rows->next.va < piece.high && next_group(rows))
		write_row_group(m, p);
	end_sequence(m, piece.high);
}

/* What is gathered of one function, kept for the next. */
struct lines {
	struct rows rows;
	struct line_entries calls;
	struct elf_writer_statements statements;
	size_t files; /* of the unit */
};

/*
 * The code of `f` that its part covers, by the part's rows.  Symbols do not mark statements where
 * each row begins one; of a cold part that is known by the function's own rows.
 */
static bool write_part(struct elf_writer *w, const struct elf_writer_function *f,
                       const struct elf_writer_function *part, struct lines *lines)
{
	struct machine m = { .w = w, .files = lines->files };
	struct rows *rows = &lines->rows;
	bool known = part->statements || f->statements;

	if (part->rows == 0)
		return true;
	rows->next = elf_writer_rows(w, part);
	rows->more = elf_writer_next_row(&rows->next);
	if (!next_group(rows) || !gather_entries(&lines->calls, part, elf_writer_calls(w, part)) ||
	    (!known && !elf_writer_statements_begin(&lines->statements, elf_writer_rows(w, part))))
		return false;
	const struct row_sources p = { rows,        &lines->calls, &lines->statements,
		                       part->start, known,         !part->statements };
	for (size_t i = 0; i < f->pieces; i++) {
		const struct cairn_range *own = &w->own[f->first + i];
		if (own->low >= part->start && own->low < part->end)
			write_piece(&m, *own, &p);
	}
	return rows->count > 0;
}

static bool write_function(struct elf_writer *w, const struct elf_writer_function *f,
                           struct lines *lines)
{
	const struct elf_writer_function *part[2];
	unsigned parts = elf_writer_function_parts(w, f, part);

	for (unsigned i = 0; f->pieces > 0 && i < parts; i++)
		if (!write_part(w, f, part[i], lines))
			return false;
	return true;
}

bool elf_writer_write_lines(struct elf_writer *w, const struct elf_writer_unit *unit,
                            const struct elf_writer_local_files *locals)
{
	size_t at = elf_writer_line_header(w, locals);
	struct lines lines = { .files = locals->count };
	bool done = true;

	for (size_t i = 0; done && i < unit->count; i++)
		done = write_function(w, &w->function[unit->first + i], &lines);
	byte_buffer_overwrite(&w->lines, at, w->lines.size - at - 4, 4);
	free(lines.rows.row);
	free(lines.calls.entry);
	elf_writer_statements_finish(&lines.statements);
	return done;
}
