/* SPDX-License-Identifier: MIT */
/*
 * Writes the line table of a unit, version 5. Each piece of a function's code is a separate
 * sequence, so that the code between functions has no lines.
 *
 * Most symbol formats keep one row per address. Where an inlined call begins, however, a compiler's
 * table has two: the line of the call, and the line of the called function. The line of the call is
 * restored here from the inlined call and written before the row of the called function, so that a
 * breakpoint on the line of the call works.
 */
#include "internal.h"

#include "base/hash.h"
#include "base/sort.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	ELF_WRITER_LINE_BASE = -5,
	ELF_WRITER_LINE_RANGE = 14,
	ELF_WRITER_OPCODE_BASE = 13,
};

enum {
	CONTENT_PATH = 1,
	CONTENT_DIRECTORY = 2,
	FORM_UDATA = 0x0f,
	FORM_LINE_STRP = 0x1f,
};

bool elf_writer_local_file(struct elf_writer *w, struct elf_writer_local_files *locals,
                           uint32_t path, uint32_t *local)
{
	if (w->file[path].local == 0) {
		if (!ARRAY_APPEND(locals->file, locals->count, locals->capacity, path))
			return false;
		w->file[path].local = (uint32_t)locals->count;
	}
	*local = w->file[path].local - 1;
	return true;
}

static uint32_t directory_of(const struct elf_writer *w, uint32_t path)
{
	return w->file[path].directory ? w->file[path].directory : w->here;
}

/*
 * Write the directories. Directory 0 is the directory of the first file. Stores each directory's
 * index plus 1 in the `mark` of the directory's path.
 */
static void write_directories(struct elf_writer *w, const struct elf_writer_local_files *locals)
{
	struct interner_entry *entry = w->paths.entry;
	uint32_t count = 0;

	for (size_t i = 0; i < locals->count; i++) {
		uint32_t directory = directory_of(w, locals->file[i]);
		if (entry[directory].mark == 0)
			entry[directory].mark = ++count;
	}
	byte_buffer_u8(&w->lines, 1);
	byte_buffer_uleb(&w->lines, CONTENT_PATH);
	byte_buffer_uleb(&w->lines, FORM_LINE_STRP);
	byte_buffer_uleb(&w->lines, count);
	for (size_t i = 0, next = 1; i < locals->count; i++) {
		uint32_t directory = directory_of(w, locals->file[i]);
		if (entry[directory].mark != next)
			continue;
		byte_buffer_number(&w->lines, entry[directory].offset, 4);
		next++;
	}
}

static void write_files(struct elf_writer *w, const struct elf_writer_local_files *locals)
{
	struct interner_entry *entry = w->paths.entry;

	byte_buffer_u8(&w->lines, 2);
	byte_buffer_uleb(&w->lines, CONTENT_PATH);
	byte_buffer_uleb(&w->lines, FORM_LINE_STRP);
	byte_buffer_uleb(&w->lines, CONTENT_DIRECTORY);
	byte_buffer_uleb(&w->lines, FORM_UDATA);
	byte_buffer_uleb(&w->lines, locals->count);
	for (size_t i = 0; i < locals->count; i++) {
		const struct elf_writer_file *file = &w->file[locals->file[i]];
		byte_buffer_number(&w->lines, entry[file->path].offset + file->name, 4);
		byte_buffer_uleb(&w->lines, entry[directory_of(w, file->path)].mark - 1);
	}
	for (size_t i = 0; i < locals->count; i++)
		entry[directory_of(w, locals->file[i])].mark = 0;
}

/*
 * Write the header up to the end of the file names. Returns the offset at which the caller must
 * store the unit's length.
 */
static size_t elf_writer_line_header(struct elf_writer *w,
                                     const struct elf_writer_local_files *locals)
{
	static const uint8_t operands[ELF_WRITER_OPCODE_BASE - 1] = { 0, 1, 1, 1, 1, 0,
		                                                      0, 0, 1, 0, 0, 1 };
	struct byte_buffer *b = &w->lines;
	size_t at = b->size;

	byte_buffer_number(b, 0, 4);
	byte_buffer_number(b, 5, 2);
	byte_buffer_u8(b, (uint8_t)w->word);
	byte_buffer_u8(b, 0);
	size_t header = b->size;
	byte_buffer_number(b, 0, 4);
	byte_buffer_u8(b, 1);
	byte_buffer_u8(b, 1);
	byte_buffer_u8(b, 1);
	byte_buffer_u8(b, (uint8_t)ELF_WRITER_LINE_BASE);
	byte_buffer_u8(b, ELF_WRITER_LINE_RANGE);
	byte_buffer_u8(b, ELF_WRITER_OPCODE_BASE);
	byte_buffer_bytes(b, operands, sizeof(operands));
	write_directories(w, locals);
	write_files(w, locals);
	byte_buffer_overwrite(b, header, b->size - header - 4, 4);
	return at;
}

/*
 * Guesses which rows of a function begin statements if the symbols do not record it. Debuggers set
 * breakpoints only at the beginning of a statement.
 *
 * Optimizing gcc writes several rows for one address: one for each statement that begins there, and
 * finally one for the line to which the instruction belongs. Later instructions of a statement have
 * separate rows that begin no statement. Therefore, in a function with several rows at one address,
 *   - a row is a statement if another row at its address follows, or if its line has not begun yet;
 *   - the highest line in the function's file, which is its closing brace, is not a statement;
 *   - the lines of the rows before the first address with several rows begin where the function
 *     does, because llvm-gsymutil drops their rows at the function's start when the function's own
 *     line repeats there.
 * In all other functions every row is a statement.
 */
enum { ELF_WRITER_OPENINGS = 8 }; /* maximum number of lines moved to the function's start */
struct elf_writer_statement {
	uint64_t path, line;
};

struct elf_writer_statements {
	bool guessing;
	struct elf_writer_statement *begun;
	size_t slots, capacity;
	/* lines whose first row is moved to the function's start, in ascending order */
	struct elf_writer_statement opening[ELF_WRITER_OPENINGS];
	size_t openings;
	struct elf_writer_statement last; /* line of the function's closing brace */
};

struct elf_writer_line_row {
	uint64_t va, path;
	int64_t line;
	bool statement, prologue_end; /* valid only if the function has statement flags */
};

static bool has_groups(const struct elf_writer_line_row *row, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (row[i].va == row[i - 1].va)
			return true;
	return false;
}

static void add_opening(struct elf_writer_statements *s, struct elf_writer_statement place)
{
	size_t at = s->openings;

	if (at == ELF_WRITER_OPENINGS)
		return;
	while (at > 0 && s->opening[at - 1].line >= place.line)
		at--;
	if (at < s->openings && s->opening[at].line == place.line)
		return;
	memmove(&s->opening[at + 1], &s->opening[at], (s->openings - at) * sizeof(place));
	s->opening[at] = place;
	s->openings++;
}

/*
 * Return the highest line in the function's file, or line 0 if it is not above the function's first
 * line.
 */
static struct elf_writer_statement find_last(const struct elf_writer_line_row *row, size_t count)
{
	struct elf_writer_statement last = { row->path, 0 };

	for (size_t i = 1; i < count; i++)
		if (row[i].path == last.path && row[i].line > row->line &&
		    (uint64_t)row[i].line > last.line)
			last.line = (uint64_t)row[i].line;
	return last;
}

static void find_openings(struct elf_writer_statements *s, const struct elf_writer_line_row *row,
                          size_t count)
{
	const int64_t first = row->line;

	s->openings = 0;
	for (const struct elf_writer_line_row *end = row + count;
	     row + 1 < end && row[1].va > row->va; row++)
		if (row->path == s->last.path && row->line > first &&
		    (uint64_t)row->line < s->last.line)
			add_opening(
				s, (struct elf_writer_statement){ row->path, (uint64_t)row->line });
}

static bool elf_writer_statements_begin(struct elf_writer_statements *s,
                                        const struct elf_writer_line_row *row, size_t count)
{
	s->openings = 0;
	s->guessing = has_groups(row, count);
	if (!s->guessing)
		return true;
	for (s->slots = 4 * (size_t)ELF_WRITER_OPENINGS; s->slots < 2 * count;)
		s->slots *= 2;
	if (s->slots > s->capacity &&
	    !array_grow(&s->begun, &s->capacity, s->slots, sizeof(*s->begun)))
		return false;
	memset(s->begun, 0, s->slots * sizeof(*s->begun));
	s->last = find_last(row, count);
	find_openings(s, row, count);
	return true;
}

static void elf_writer_statements_finish(struct elf_writer_statements *s)
{
	free(s->begun);
	*s = (struct elf_writer_statements){ .guessing = false };
}

/*
 * Record a line. Returns true if it is new. A free slot always exists because there are at least
 * twice as many slots as rows.
 */
static bool begin_line(struct elf_writer_statements *s, uint64_t path, uint64_t line)
{
	size_t at = (size_t)hash_number(path << 32 ^ line, s->begun) & (s->slots - 1);

	for (; s->begun[at].path; at = (at + 1) & (s->slots - 1))
		if (s->begun[at].path == path && s->begun[at].line == line)
			return false;
	s->begun[at] = (struct elf_writer_statement){ path, line };
	return true;
}

/*
 * Return true if row `index` of the `count` rows at an address is a statement. Must be called for
 * each row in order.
 */
static bool elf_writer_is_statement(struct elf_writer_statements *s, uint64_t path, uint64_t line,
                                    size_t index, size_t count)
{
	if (!s->guessing || path == 0)
		return true;
	if (path == s->last.path && line == s->last.line)
		return false;
	bool is_new = begin_line(s, path, line);
	return (count > 1 && index + 1 < count) || is_new;
}

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
	           ELF_WRITER_LINE_RANGE, /* address increment of OP_CONST_ADD_PC */
};

struct machine {
	struct elf_writer *w;
	uint64_t va;
	int64_t line;
	uint32_t file;
	bool statement;
	size_t files;
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

/*
 * Write a row with a special opcode if the differences are small, otherwise with separate opcodes.
 * Returns the end of the output.
 */
static uint8_t *put_row_opcodes(struct machine *m, uint8_t *to, uint64_t va, uint32_t file,
                                int64_t line)
{
	uint64_t step = va - m->va;
	int64_t lines = line - m->line;

	if (file != m->file) {
		*to++ = OP_SET_FILE;
		to = byte_buffer_put_uleb(to, file);
	}
	if (lines < ELF_WRITER_LINE_BASE || lines >= ELF_WRITER_LINE_BASE + ELF_WRITER_LINE_RANGE) {
		*to++ = OP_ADVANCE_LINE;
		to = byte_buffer_put_sleb(to, lines);
		lines = 0;
	}
	uint64_t special = (uint64_t)(lines - ELF_WRITER_LINE_BASE) + ELF_WRITER_OPCODE_BASE;
	if (step > STEP_MAX && step <= 2 * STEP_MAX) {
		*to++ = OP_CONST_ADD_PC;
		step -= STEP_MAX;
	}
	if (step > STEP_MAX || special + step * ELF_WRITER_LINE_RANGE > UINT8_MAX) {
		*to++ = OP_ADVANCE_PC;
		to = byte_buffer_put_uleb(to, step);
		step = 0;
	}
	*to++ = (uint8_t)(special + step * ELF_WRITER_LINE_RANGE);
	m->va = va;
	m->file = file;
	m->line = line;
	return to;
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

struct rows {
	struct elf_writer_line_row *all;
	size_t total, capacity;
	const struct elf_writer_line_row *row;
	size_t count;
	uint64_t va;
};

static bool read_rows(struct rows *rows, struct elf_writer_rows from)
{
	rows->total = rows->count = 0;
	if (!array_grow(&rows->all, &rows->capacity, from.left, sizeof(*rows->all)))
		return false;
	rows->row = rows->all;
	while (elf_writer_next_row(&from))
		rows->all[rows->total++] =
			(struct elf_writer_line_row){ from.va, from.path, from.line, from.statement,
			                              from.prologue_end };
	return true;
}

static const struct elf_writer_line_row *row_after_group(const struct rows *rows)
{
	const struct elf_writer_line_row *next = rows->row + rows->count;

	return next < rows->all + rows->total ? next : NULL;
}

static void next_group(struct rows *rows, const struct elf_writer_line_row *first)
{
	const struct elf_writer_line_row *end = rows->all + rows->total;

	rows->row = first;
	rows->va = first->va;
	rows->count = 1;
	while (first + rows->count < end && first[rows->count].va == rows->va)
		rows->count++;
}

struct entry {
	uint64_t va;
	uint32_t order, path, line;
};

struct line_entries {
	struct entry *entry;
	size_t count, capacity, next;
};

static int compare_entries_by_address(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	return ORDER_BY(a->va, b->va, ORDER_BY(a->order, b->order, 0));
}

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
		elf_writer_uleb(&record);
		uint64_t ranges = elf_writer_uleb(&record);
		for (uint64_t left = ranges; left > 0; left--) {
			uint64_t va = f->start + elf_writer_uleb(&record);
			elf_writer_uleb(&record);
			if (left == ranges)
				entry.va = va;
		}
		if (entry.path == 0 || entry.line == 0)
			continue;
		if (!ARRAY_APPEND(e->entry, e->count, e->capacity, entry))
			return false;
	}
	if (e->count > 1)
		qsort(e->entry, e->count, sizeof(*e->entry), compare_entries_by_address);
	return true;
}

static void write_line_row(struct machine *m, uint64_t va, const struct elf_writer_line_row *row,
                           bool statement)
{
	enum { MOST = 3 * BYTE_BUFFER_LEB_MAX + 7 };
	/*
	 * If the location is unknown, keep the current file. A line program begins with file 1; if
	 * the unit does not have this file, use file 0.
	 */
	uint32_t known = m->file < m->files ? m->file : 0;
	uint32_t file = row->path ? m->w->file[row->path].local - 1 : known;
	uint8_t *to = byte_buffer_reserve(&m->w->lines, MOST);

	if (!to)
		return;
	if (statement != m->statement)
		*to++ = OP_NEGATE_STATEMENT;
	m->statement = statement;
	if (row->prologue_end)
		*to++ = OP_PROLOGUE_END;
	byte_buffer_took(&m->w->lines, put_row_opcodes(m, to, va, file, row->path ? row->line : 0));
}

struct row_sources {
	struct rows *rows;
	struct line_entries *calls;
	struct elf_writer_statements *statements;
	uint64_t start;
	bool known;
	bool every;
};

static bool has_row(const struct rows *rows, const struct entry *e)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->row[i].path == e->path && rows->row[i].line == e->line)
			return true;
	return false;
}

static void write_opening_rows(struct machine *m, const struct row_sources *p)
{
	struct elf_writer_statements *s = p->statements;

	if (p->known || s->openings == 0 || p->rows->count > 1)
		return;
	for (size_t i = 0; i < s->openings; i++) {
		const struct elf_writer_line_row row = { .path = s->opening[i].path,
			                                 .line = (int64_t)s->opening[i].line };
		write_line_row(m, p->start, &row, true);
		elf_writer_is_statement(s, row.path, (uint64_t)row.line, 0, 2);
	}
}

static bool is_statement(const struct row_sources *p, size_t i)
{
	const struct elf_writer_line_row *row = &p->rows->row[i];

	return p->known ? p->every || row->statement
	                : elf_writer_is_statement(p->statements, row->path, (uint64_t)row->line, i,
	                                          p->rows->count);
}

/* Write the rows at one address, preceded by the rows of the calls that begin there. */
static void write_row_group(struct machine *m, const struct row_sources *p)
{
	const struct rows *rows = p->rows;
	struct line_entries *calls = p->calls;

	while (calls->next < calls->count && calls->entry[calls->next].va < rows->va)
		calls->next++;
	for (; calls->next < calls->count && calls->entry[calls->next].va == rows->va;
	     calls->next++) {
		const struct entry *e = &calls->entry[calls->next];
		const struct elf_writer_line_row row = { .path = e->path, .line = e->line };
		if (!p->known && !has_row(rows, e))
			write_line_row(m, rows->va, &row, true);
	}
	if (rows->va == p->start)
		write_opening_rows(m, p);
	for (size_t i = 0; i < rows->count; i++)
		write_line_row(m, rows->va, &rows->row[i], is_statement(p, i));
}

/*
 * Write the rows for one piece of code. p->rows must not be past the group of rows that covers the
 * start of the piece.
 */
static void write_piece(struct machine *m, struct cairn_range piece, const struct row_sources *p)
{
	struct rows *rows = p->rows;
	const struct elf_writer_line_row *next;

	while ((next = row_after_group(rows)) && next->va <= piece.low)
		next_group(rows, next);
	write_set_address(m, piece.low);
	if (rows->va == piece.low)
		write_row_group(m, p);
	else
		write_line_row(m, piece.low, &rows->row[rows->count - 1], true);
	while ((next = row_after_group(rows)) && next->va < piece.high) {
		next_group(rows, next);
		write_row_group(m, p);
	}
	end_sequence(m, piece.high);
}

struct lines {
	struct rows rows;
	struct line_entries calls;
	struct elf_writer_statements statements;
	size_t files;
};

/*
 * Write the rows of `part`, which is the hot or the cold part of `f`. Symbols omit the statement
 * flags of a part if all of its rows begin statements. Therefore, if `f` has flags and its cold
 * part lacks them, every row of the cold part is a statement. For any other part without flags,
 * guess.
 */
static bool write_part(struct elf_writer *w, const struct elf_writer_function *f,
                       const struct elf_writer_function *part, struct lines *lines)
{
	struct machine m = { .w = w, .files = lines->files };
	struct rows *rows = &lines->rows;
	bool known = part->statements || f->statements;

	if (part->rows == 0)
		return true;
	if (!read_rows(rows, elf_writer_rows(w, part)) ||
	    !gather_entries(&lines->calls, part, elf_writer_calls(w, part)) ||
	    (!known && !elf_writer_statements_begin(&lines->statements, rows->all, rows->total)))
		return false;
	next_group(rows, rows->all);
	const struct row_sources p = { rows,        &lines->calls, &lines->statements,
		                       part->start, known,         !part->statements };
	for (size_t i = 0; i < f->pieces; i++) {
		const struct cairn_range *own = &w->own[f->first + i];
		if (own->low >= part->start && own->low < part->end)
			write_piece(&m, *own, &p);
	}
	return true;
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
	free(lines.rows.all);
	free(lines.calls.entry);
	elf_writer_statements_finish(&lines.statements);
	return done;
}
