/* SPDX-License-Identifier: MIT */
/* Appends segments and frames to the index arrays and splits a range along its line table. */
#include "segments.h"

#include <stdlib.h>
#include <string.h>

static bool segments_room(struct segments *s)
{
	size_t room[3] = { s->room, s->room, s->room };

	if (s->count < s->room)
		return true;
	if (!array_grow(&s->start, &room[0], s->count + 1, s->wide ? 8 : 4) ||
	    !array_grow(&s->node, &room[1], s->count + 1, sizeof(*s->node)) ||
	    !array_grow(&s->line, &room[2], s->count + 1, sizeof(*s->line)))
		return false;
	s->room = room[2];
	return true;
}

static void stop_build(struct index_build *b, enum build_stop_reason why)
{
	if (b->stop == BUILD_CONTINUE)
		b->stop = why;
}

/*
 * Does a difference to the origin need more than 32 bits?  One below zero does: wrapped around it would
 * put the end of the address space before its beginning.
 */
static bool is_too_far(const struct segments *s, uint64_t va)
{
	return !s->wide && (va < s->origin || va - s->origin > UINT32_MAX);
}

void segments_put(struct index_build *b, struct segments *s, uint64_t va, uint32_t node,
                  uint32_t line)
{
	uint64_t offset = va - s->origin;

	if (is_too_far(s, va)) {
		stop_build(b, BUILD_TOO_WIDE);
		return;
	}
	if (s->count > s->floor) {
		if (segment_va(s, s->count - 1) == va)
			s->count--;
		else if (s->node[s->count - 1] == node && s->line[s->count - 1] == line)
			return;
	}
	if (s->count >= SYMBFILE_NONE - 1 || !segments_room(s)) {
		stop_build(b, s->count >= SYMBFILE_NONE - 1 ? BUILD_TOO_MUCH : BUILD_NO_MEMORY);
		return;
	}
	if (s->wide)
		((uint64_t *)s->start)[s->count] = offset;
	else
		((uint32_t *)s->start)[s->count] = (uint32_t)offset;
	s->node[s->count] = node;
	s->line[s->count] = line;
	s->count++;
}

static bool nodes_room(struct index_build *b)
{
	struct nodes *n = &b->nodes;
	size_t room[2] = { n->room, n->room };

	if (n->count < n->room)
		return true;
	if (!array_grow(&n->node, &room[0], n->count + 1, sizeof(*n->node)) ||
	    !array_grow(&n->start, &room[1], n->count + 1, b->out.wide ? 8 : 4))
		return false;
	n->room = room[1];
	return true;
}

uint32_t nodes_put(struct index_build *b, const struct symbfile_node *node, uint64_t start)
{
	struct nodes *n = &b->nodes;
	uint64_t offset = start - b->out.origin;

	if (is_too_far(&b->out, start)) {
		stop_build(b, BUILD_TOO_WIDE);
		return SYMBFILE_NONE;
	}
	if (n->count >= n->limit || n->count >= SYMBFILE_UNSET || !nodes_room(b)) {
		stop_build(b, n->count >= n->limit || n->count >= SYMBFILE_UNSET ? BUILD_TOO_MUCH
		                                                                 : BUILD_NO_MEMORY);
		return SYMBFILE_NONE;
	}
	n->node[n->count] = *node;
	if (b->out.wide)
		((uint64_t *)n->start)[n->count] = offset;
	else
		((uint32_t *)n->start)[n->count] = (uint32_t)offset;
	return (uint32_t)n->count++;
}

/* The next row, if it is still in the range. */
static void next_row(struct own_lines *own)
{
	struct symbfile_row row;

	own->has_row = symbfile_next_row(&own->rows, &row) && row.offset <= own->last - own->start;
	if (own->has_row) {
		own->row_va = own->start + row.offset;
		own->row_line = row.line;
	}
}

void own_lines_begin(struct own_lines *own, const struct symbfile_record *record, uint32_t node)
{
	own->start = record->range.start;
	own->last = range_last(&record->range);
	own->node = node;
	own->line = 0;
	own->has_row = false;
	if (record->range.lines.count == 0)
		return;
	symbfile_rows_begin(&own->rows, record);
	next_row(own);
}

void own_lines_put(struct index_build *b, struct segments *s, struct own_lines *own, uint64_t from,
                   uint64_t last)
{
	while (own->has_row && own->row_va <= from) {
		own->line = own->row_line;
		next_row(own);
	}
	segments_put(b, s, from, own->node, own->line);
	while (own->has_row && own->row_va <= last) {
		own->line = own->row_line;
		segments_put(b, s, own->row_va, own->node, own->line);
		next_row(own);
	}
}

struct tree_reader tree_reader(const struct index_build *b, const struct tree *tree)
{
	struct tree_reader reader = { .first = tree->first, .left = tree->nodes };

	reader.file = symbfile_open(b->files[tree->file]);
	reader.file.at = (size_t)tree->offset;
	reader.file.has_header = true;
	/* addresses before are not known, nor are the tables; both were checked the first time */
	reader.file.has_previous = true;
	reader.file.strings = UINT32_MAX;
	return reader;
}

bool tree_reader_next(struct tree_reader *reader, struct symbfile_record *record)
{
	while (reader->left > 0 && symbfile_next(&reader->file, record)) {
		reader->file.strings = UINT32_MAX;
		if (record->kind != SYMBFILE_RANGE)
			continue;
		if (!reader->begun)
			record->range.start = reader->file.previous = reader->first;
		reader->begun = true;
		if (record->range.length == 0)
			continue;
		reader->left--;
		return true;
	}
	return false;
}
