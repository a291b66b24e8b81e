/* SPDX-License-Identifier: MIT */
/*
 * Converts one function to a tree of range records. From its first address to its last, with a
 * stack of the inlined calls that hold the present one: a call that begins opens a record, one that
 * ends closes it. A row of the line table belongs to the innermost record; a row of another file
 * closes that and opens its next piece, which loses nothing, because no calls are open
 * inside it.
 */
#include "trees.h"

#include "symbols/index/segments.h"

#include <stdlib.h>
#include <string.h>

/* A range of an inlined call. */
struct stretch {
	uint64_t low, high;
	uint32_t call; /* which one */
};

/* What holds the present address at one depth. */
struct holder {
	uint64_t high;
	uint32_t call; /* number of the inlined call, from 1; 0: the function itself */
	size_t record;
	bool has_file;
	uint32_t file; /* of the unit */
	bool has_row;
	uint32_t line; /* of its last row */
};

/* A row with the record that it belongs to, counted from the tree's first. */
struct owned_row {
	uint64_t va;
	uint32_t record, line;
};

struct flatten {
	struct stretch *stretch;
	size_t stretches, stretch_room;
	struct stretch *spare; /* while they are sorted */
	size_t spare_room;
	uint32_t *around; /* of each call, the number of the one around it */
	size_t around_room;
	struct owned_row *row;
	size_t rows, row_room;
	struct holder holder[MAKER_DEPTH_MAX + 1];
	unsigned depth; /* of the innermost */
	size_t next_row, next_stretch;
};

struct flatten *flatten_new(void)
{
	return calloc(1, sizeof(struct flatten));
}

void flatten_free(struct flatten *flatten)
{
	if (!flatten)
		return;
	free(flatten->stretch);
	free(flatten->spare);
	free(flatten->around);
	free(flatten->row);
	free(flatten);
}

/* The calls are in pre-order: of those that begin together, the outer ones come first. */
static bool is_before(const struct stretch *a, const struct stretch *b)
{
	return a->low != b->low ? a->low < b->low : a->call < b->call;
}

static void insert_stretches(struct stretch *stretch, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct stretch held = stretch[i];
		size_t at = i;
		for (; at > 0 && is_before(&held, &stretch[at - 1]); at--)
			stretch[at] = stretch[at - 1];
		stretch[at] = held;
	}
}

/* Two sorted parts become one; `spare` has room for the first. */
static void merge_stretches(struct stretch *stretch, size_t first, size_t count,
                            struct stretch *spare)
{
	const struct stretch *left = spare, *right = stretch + first;
	size_t at = 0;

	/* what is before all of the second part stays */
	while (at < first && !is_before(right, &stretch[at]))
		at++;
	const struct stretch *left_end = spare + (first - at), *right_end = stretch + count;
	memcpy(spare, stretch + at, (first - at) * sizeof(*spare));
	while (left < left_end)
		stretch[at++] = right < right_end && is_before(right, left) ? *right++ : *left++;
}

/* They are in the order of the calls, each of which has its own in order. */
static bool sort_stretches(struct flatten *f)
{
	enum { BLOCK = 16 }; /* so many are sorted sooner by insertion */
	struct stretch *stretch = f->stretch;
	size_t count = f->stretches;

	if (!array_grow(&f->spare, &f->spare_room, count, sizeof(*f->spare)))
		return false;
	for (size_t at = 0; at < count; at += BLOCK)
		insert_stretches(stretch + at, count - at < BLOCK ? count - at : BLOCK);
	for (size_t size = BLOCK; size < count; size *= 2)
		for (size_t at = 0; at < count && count - at > size; at += 2 * size) {
			size_t both = count - at < 2 * size ? count - at : 2 * size;
			merge_stretches(stretch + at, size, both, f->spare);
		}
	return true;
}

/* All ranges of all calls, by their first address. */
static bool load_stretches(struct symbfile_shard *shard, const struct function *function)
{
	struct flatten *f = shard->flatten;
	bool sorted = true;

	f->stretches = 0;
	if (!array_grow(&f->around, &f->around_room, function->inline_count, sizeof(*f->around)))
		return false;
	function_find_around(function->inlines, function->inline_count, f->around);
	for (size_t i = 0; i < function->inline_count; i++) {
		const struct function_inline *call = &function->inlines[i];
		if (call->depth > MAKER_DEPTH_MAX) {
			shard->too_deep++;
			continue;
		}
		if (!array_grow(&f->stretch, &f->stretch_room, f->stretches + call->ranges,
		                sizeof(*f->stretch)))
			return false;
		shard_text_soon(shard, call->name);
		for (uint32_t r = 0; r < call->ranges; r++) {
			const struct cairn_range *range = &function->range[call->range + r];
			f->stretch[f->stretches] =
				(struct stretch){ range->low, range->high, (uint32_t)i };
			sorted &=
				f->stretches == 0 || f->stretch[f->stretches - 1].low <= range->low;
			f->stretches++;
		}
	}
	return sorted || sort_stretches(f);
}

/* A record of what is at one depth, from here on. */
static bool open_record(struct symbfile_shard *shard, const struct function *function,
                        struct holder *h, uint64_t at)
{
	struct flatten *f = shard->flatten;
	struct maker_record record = { .start = at,
		                       .end = at,
		                       .file = MAKER_NONE,
		                       .call_file = MAKER_NONE,
		                       .depth = (uint32_t)(h - f->holder) };

	if (h->call == 0) {
		record.name = shard_text(shard, function->name);
	} else {
		const struct function_inline *call = &function->inlines[h->call - 1];
		record.name = shard_text(shard, call->name);
		record.call_file = shard_file(shard, function, call->call_file);
		record.call_line = call->call_line;
	}
	if (!array_grow(&shard->record, &shard->record_room, shard->records + 1,
	                sizeof(*shard->record)))
		return false;
	h->record = shard->records;
	h->has_file = h->has_row = false;
	shard->record[shard->records++] = record;
	return true;
}

/* Ends what is open at this depth and below. */
static void close_records(struct symbfile_shard *shard, unsigned depth, uint64_t at)
{
	struct flatten *f = shard->flatten;

	for (unsigned i = depth; i <= f->depth; i++)
		shard->record[f->holder[i].record].end = at;
}

static bool append_owned_row(struct symbfile_shard *shard, struct holder *h, uint64_t at,
                             uint32_t line)
{
	struct flatten *f = shard->flatten;

	/* before its first row the line of a record is not known anyway */
	if (h->has_row ? h->line == line : line == 0)
		return true;
	if (!ARRAY_APPEND(
		    f->row, f->rows, f->row_room,
		    (struct owned_row){
			    at, (uint32_t)(h->record - shard->tree[shard->trees].record), line }))
		return false;
	h->has_row = true;
	h->line = line;
	return true;
}

/* The row that holds `at` goes to the innermost record, or to a new piece of it. */
static bool assign_row(struct symbfile_shard *shard, const struct function *function, uint64_t at)
{
	struct flatten *f = shard->flatten;
	struct holder *h = &f->holder[f->depth];

	while (f->next_row < function->row_count && function->rows[f->next_row].va <= at)
		f->next_row++;
	if (f->next_row == 0)
		return true;
	const struct function_row *row = &function->rows[f->next_row - 1];
	if (row->line == 0)
		return append_owned_row(shard, h, at, 0);
	if (h->has_file && h->file != row->file) {
		close_records(shard, f->depth, at);
		if (!open_record(shard, function, h, at))
			return false;
	}
	if (!h->has_file) {
		h->has_file = true;
		h->file = row->file;
		shard->record[h->record].file = shard_file(shard, function, row->file);
	}
	return append_owned_row(shard, h, at, row->line);
}

/* Opens the calls that begin here. */
static bool open_starting_calls(struct symbfile_shard *shard, const struct function *function,
                                uint64_t at)
{
	struct flatten *f = shard->flatten;

	for (; f->next_stretch < f->stretches && f->stretch[f->next_stretch].low <= at;
	     f->next_stretch++) {
		const struct stretch *s = &f->stretch[f->next_stretch];
		unsigned depth = f->depth;
		/* an elder sibling that has not ended yields */
		while (depth > 0 && f->holder[depth].call != f->around[s->call])
			depth--;
		if (f->holder[depth].call != f->around[s->call] || s->high <= at)
			continue;
		if (depth < f->depth) {
			close_records(shard, depth + 1, at);
			f->depth = depth;
		}
		struct holder *h = &f->holder[++f->depth];
		h->call = s->call + 1;
		h->high = s->high < (h - 1)->high ? s->high : (h - 1)->high;
		if (!open_record(shard, function, h, at))
			return false;
	}
	return true;
}

static void close_ended_calls(struct symbfile_shard *shard, uint64_t at)
{
	struct flatten *f = shard->flatten;
	unsigned depth = f->depth;

	while (depth > 0 && f->holder[depth].high <= at)
		depth--;
	if (depth < f->depth)
		close_records(shard, depth + 1, at);
	f->depth = depth;
}

/* Where something changes next. */
static uint64_t next_change(const struct flatten *f, const struct function *function, uint64_t end)
{
	uint64_t next = f->holder[f->depth].high;

	if (f->next_row < function->row_count && function->rows[f->next_row].va < next)
		next = function->rows[f->next_row].va;
	if (f->next_stretch < f->stretches && f->stretch[f->next_stretch].low < next)
		next = f->stretch[f->next_stretch].low;
	return next < end ? next : end;
}

static bool flatten_stretches(struct symbfile_shard *shard, const struct function *function,
                              uint64_t end)
{
	struct flatten *f = shard->flatten;
	uint64_t at = function->start;

	f->holder[0] = (struct holder){ .high = end };
	f->depth = 0;
	f->rows = f->next_row = f->next_stretch = 0;
	if (!open_record(shard, function, &f->holder[0], at))
		return false;
	while (at < end) {
		close_ended_calls(shard, at);
		if (!open_starting_calls(shard, function, at) || !assign_row(shard, function, at))
			return false;
		at = next_change(f, function, end);
	}
	close_records(shard, 0, end);
	return true;
}

/* Rows came as they were met; now each record's stand together. */
static bool group_rows(struct symbfile_shard *shard, struct maker_tree *tree)
{
	struct flatten *f = shard->flatten;
	struct maker_record *record = shard->record + tree->record;
	uint64_t at = shard->rows;

	if (!array_grow(&shard->row, &shard->row_room, shard->rows + f->rows, sizeof(*shard->row)))
		return false;
	for (size_t i = 0; i < f->rows; i++)
		record[f->row[i].record].rows++;
	for (uint32_t i = 0; i < tree->records; i++) {
		record[i].row = at;
		at += record[i].rows;
		record[i].rows = 0;
	}
	for (size_t i = 0; i < f->rows; i++) {
		struct maker_record *r = &record[f->row[i].record];
		shard->row[r->row + r->rows++] = (struct maker_row){ f->row[i].va, f->row[i].line };
	}
	shard->rows = (size_t)at;
	return true;
}

bool flatten_function(struct symbfile_shard *shard, const struct function *function)
{
	uint64_t end = function->start + function->size;

	if (!array_grow(&shard->tree, &shard->tree_room, shard->trees + 1, sizeof(*shard->tree)))
		return false;
	struct maker_tree *tree = &shard->tree[shard->trees];
	*tree = (struct maker_tree){ .start = function->start,
		                     .end = end,
		                     .unit = shard->unit,
		                     .order = shard->order++,
		                     .shard = shard->number,
		                     .source = (uint8_t)function->source,
		                     .record = shard->records };
	if (!load_stretches(shard, function) || !flatten_stretches(shard, function, end))
		return false;
	tree->records = (uint32_t)(shard->records - tree->record);
	if (!group_rows(shard, tree))
		return false;
	shard->trees++;
	return true;
}
