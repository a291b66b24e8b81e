/* SPDX-License-Identifier: MIT */
/* Guesses is_stmt for the rows of a function from rows that share an address. */
#include "statements.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

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

/* Return the highest line in the function's file, above its first line. */
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

bool elf_writer_statements_begin(struct elf_writer_statements *s,
                                 const struct elf_writer_line_row *row, size_t count)
{
	s->openings = 0;
	s->guessing = has_groups(row, count);
	if (!s->guessing)
		return true;
	for (s->slots = 4 * (size_t)ELF_WRITER_OPENINGS; s->slots < 2 * count;)
		s->slots *= 2;
	if (s->slots > s->room && !array_grow(&s->begun, &s->room, s->slots, sizeof(*s->begun)))
		return false;
	memset(s->begun, 0, s->slots * sizeof(*s->begun));
	s->last = find_last(row, count);
	find_openings(s, row, count);
	return true;
}

void elf_writer_statements_finish(struct elf_writer_statements *s)
{
	free(s->begun);
	*s = (struct elf_writer_statements){ .guessing = false };
}

/*
 * Note a line. Return true if it is new. There are always free slots, because there are twice as
 * many as rows and openings.
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

bool elf_writer_is_statement(struct elf_writer_statements *s, uint64_t path, uint64_t line,
                             size_t index, size_t count)
{
	if (!s->guessing || path == 0)
		return true;
	if (path == s->last.path && line == s->last.line)
		return false;
	bool is_new = begin_line(s, path, line);
	return (count > 1 && index + 1 < count) || is_new;
}
