/* SPDX-License-Identifier: MIT */
#include "object_statements.h"

#include "object_parts.h"

#include <stdlib.h>
#include <string.h>

/* A row of a record as it is read. */
struct cursor {
	const uint8_t *record;
	uint32_t left;
	uint64_t step, path;
	int64_t line;
};

static bool next_row(struct cursor *c)
{
	if (c->left == 0)
		return false;
	c->left--;
	c->step = object_uleb(&c->record);
	c->path = object_uleb(&c->record);
	c->line += object_sleb(&c->record);
	return true;
}

static bool has_groups(const uint8_t *record, uint32_t rows)
{
	struct cursor c = { .record = record, .left = rows };

	for (bool first = true; next_row(&c); first = false)
		if (!first && c.step == 0)
			return true;
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
static struct object_place find_last(struct cursor c)
{
	struct object_place last = { c.path, 0 };
	int64_t first = c.line;

	while (next_row(&c))
		if (c.path == last.path && c.line > first && (uint64_t)c.line > last.line)
			last.line = (uint64_t)c.line;
	return last;
}

/* The lines of rows that stand alone before the first group. */
static void find_openings(struct object_statements *s, struct cursor c)
{
	struct cursor next = c;
	int64_t first = c.line;

	s->openings = 0;
	for (; next_row(&next) && next.step > 0; c = next)
		if (c.path == s->last.path && c.line > first && (uint64_t)c.line < s->last.line)
			add_opening(s, (struct object_place){ c.path, (uint64_t)c.line });
}

bool object_statements_begin(struct object_statements *s, const uint8_t *record, uint32_t rows)
{
	struct cursor c = { .record = record, .left = rows };

	s->openings = 0;
	s->guessing = has_groups(record, rows);
	if (!s->guessing || !next_row(&c))
		return true;
	for (s->slots = 4 * (size_t)OBJECT_OPENINGS; s->slots < 2 * (size_t)rows;)
		s->slots *= 2;
	if (s->slots > s->room &&
	    !object_room(&s->begun, &s->room, s->slots - 1, sizeof(*s->begun)))
		return false;
	memset(s->begun, 0, s->slots * sizeof(*s->begun));
	s->last = find_last(c);
	find_openings(s, c);
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
