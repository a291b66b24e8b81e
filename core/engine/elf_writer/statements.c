/* SPDX-License-Identifier: MIT */
#include "statements.h"

#include <stdlib.h>
#include <string.h>

static bool has_groups(struct object_rows rows)
{
	uint64_t before = rows.va;

	for (bool first = true; object_next_row(&rows); first = false) {
		if (!first && rows.va == before)
			return true;
		before = rows.va;
	}
	return false;
}

static void add_opening(struct object_statements *s, struct object_place place)
{
	size_t at = s->openings;

	if (at == OBJECT_OPENINGS)
		return;
	while (at > 0 && s->opening[at - 1].line >= place.line)
		at--;
	if (at < s->openings && s->opening[at].line == place.line)
		return;
	memmove(&s->opening[at + 1], &s->opening[at], (s->openings - at) * sizeof(place));
	s->opening[at] = place;
	s->openings++;
}

/* The highest line of the function's file, behind its first one. */
static struct object_place find_last(struct object_rows rows)
{
	struct object_place last = { rows.path, 0 };
	int64_t first = rows.line;

	while (object_next_row(&rows))
		if (rows.path == last.path && rows.line > first && (uint64_t)rows.line > last.line)
			last.line = (uint64_t)rows.line;
	return last;
}

/* The lines of rows that stand alone before the first group. */
static void find_openings(struct object_statements *s, struct object_rows rows)
{
	struct object_rows next = rows;
	int64_t first = rows.line;

	s->openings = 0;
	for (; object_next_row(&next) && next.va > rows.va; rows = next)
		if (rows.path == s->last.path && rows.line > first &&
		    (uint64_t)rows.line < s->last.line)
			add_opening(s, (struct object_place){ rows.path, (uint64_t)rows.line });
}

bool object_statements_begin(struct object_statements *s, struct object_rows rows)
{
	size_t count = rows.left;

	s->openings = 0;
	s->guessing = has_groups(rows);
	if (!s->guessing || !object_next_row(&rows))
		return true;
	for (s->slots = 4 * (size_t)OBJECT_OPENINGS; s->slots < 2 * count;)
		s->slots *= 2;
	if (s->slots > s->room &&
	    !object_room(&s->begun, &s->room, s->slots - 1, sizeof(*s->begun)))
		return false;
	memset(s->begun, 0, s->slots * sizeof(*s->begun));
	s->last = find_last(rows);
	find_openings(s, rows);
	return true;
}

void object_statements_finish(struct object_statements *s)
{
	free(s->begun);
	*s = (struct object_statements){ .guessing = false };
}

/* Notes a line; was it new?  Places stay free: there are twice as many as rows, and openings. */
static bool begin_line(struct object_statements *s, uint64_t path, uint64_t line)
{
	uint64_t hash = (path * 0x9e3779b97f4a7c15 + line) * 0x9e3779b97f4a7c15;
	size_t at = (size_t)(hash >> 20) & (s->slots - 1);

	for (; s->begun[at].path; at = (at + 1) & (s->slots - 1))
		if (s->begun[at].path == path && s->begun[at].line == line)
			return false;
	s->begun[at] = (struct object_place){ path, line };
	return true;
}

bool object_is_statement(struct object_statements *s, uint64_t path, uint64_t line, size_t index,
                         size_t count)
{
	if (!s->guessing || path == 0)
		return true;
	if (path == s->last.path && line == s->last.line)
		return false;
	bool is_new = begin_line(s, path, line);
	return (count > 1 && index + 1 < count) || is_new;
}
