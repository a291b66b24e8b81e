/* SPDX-License-Identifier: MIT */
/*
 * Normalizes inlined calls: each is inside the call around it or the function's own code, apart
 * from earlier ones of the same depth. A debugger would show either, and which one would be its own
 * affair.
 */
#include "writers/elf/parts.h"

#include "base/range.h"

#include <stdlib.h>
#include <string.h>

/*
 * Ranges that do not come in order are put in their place among those of their
 * depth, which costs as much as there are after it; one function has a few.
 */
enum { TAKEN_MAX = 1024 };

/* Cutting may make many ranges of one; so many more than came in, and further
 * calls are left out.
 */
enum { RANGES_MORE = 1024 };

/* Each goes over all calls; real functions have a few. */
enum { SCOPES_MAX = 256 };

struct elf_writer_call_level {
	struct nested_level call;  /* the ranges of the call in progress */
	struct cairn_range *taken; /* of all calls of this depth, ascending */
	size_t taken_count, taken_room;
};

bool elf_writer_calls_init(struct elf_writer_calls *c)
{
	memset(c, 0, sizeof(*c));
	c->level = calloc(ELF_WRITER_LEVELS + 1, sizeof(*c->level));
	return c->level != NULL;
}

void elf_writer_calls_finish(struct elf_writer_calls *c)
{
	for (size_t i = 0; c->level && i <= ELF_WRITER_LEVELS; i++)
		free(c->level[i].taken);
	free(c->level);
	free(c->call);
	nested_ranges_finish(&c->ranges);
}

/* What of [low, high) nobody of this depth has taken. */
static bool add_free(struct elf_writer_calls *c, const struct elf_writer_call_level *level,
                     struct cairn_range range)
{
	size_t i = range_find_after(level->taken, level->taken_count, range.low);

	while (range.low < range.high) {
		bool met = i < level->taken_count && level->taken[i].low < range.high;
		uint64_t high = met ? level->taken[i].low : range.high;
		const struct cairn_range free_part = { range.low, high };
		if (range.low < high && !nested_ranges_add(&c->ranges, free_part))
			return false;
		if (!met)
			break;
		range.low = level->taken[i++].high;
	}
	return true;
}

/* What of [low, high) is in the call around, and is free. */
static bool add_inside(struct elf_writer_calls *c, const struct elf_writer_call_level *around,
                       struct cairn_range range)
{
	struct cairn_range r;
	size_t at = 0;

	while (range_next_common(c->ranges.range + around->call.first, around->call.count, range,
	                         &at, &r))
		if (!add_free(c, around + 1, r))
			return false;
	return true;
}

/* Marks a range as taken; false when memory is short. */
static bool mark_range_taken(struct elf_writer_call_level *level, struct cairn_range range)
{
	size_t count = level->taken_count, i = count;

	if (!array_grow(&level->taken, &level->taken_room, count + 1, sizeof(range)))
		return false;
	if (count > 0 && level->taken[count - 1].low > range.low)
		i = range_find_after(level->taken, count, range.low);
	memmove(level->taken + i + 1, level->taken + i, (count - i) * sizeof(range));
	level->taken[i] = range;
	level->taken_count++;
	return true;
}

/* Would taking these cost too much? */
static bool is_disorder(const struct elf_writer_calls *c, const struct elf_writer_call_level *level)
{
	size_t count = level->taken_count;

	return count >= TAKEN_MAX &&
	       c->ranges.range[level->call.first].low < level->taken[count - 1].low;
}

/* Reads the call's ranges from the record. */
static bool read_ranges(struct elf_writer_calls *c, const uint8_t **record, uint64_t start,
                        const struct elf_writer_call_level *around, size_t limit)
{
	uint64_t ranges = elf_writer_uleb(record);

	for (uint64_t i = 0; i < ranges; i++) {
		uint64_t low = start + elf_writer_uleb(record);
		struct cairn_range range = { low, low + elf_writer_uleb(record) };
		if (around && c->ranges.count < limit && !add_inside(c, around, range))
			return false;
	}
	return true;
}

static bool append_object_call(struct elf_writer_calls *c, const struct elf_writer_call *call)
{
	struct elf_writer_call_level *level = &c->level[call->depth];

	for (size_t i = 0; i < level->call.count; i++)
		if (!mark_range_taken(level, c->ranges.range[level->call.first + i]))
			return false;
	return ARRAY_APPEND(c->call, c->count, c->call_room, *call);
}

/*
 * Return whether the call's first range is for LLDB, and empty: the address where the call is entered, below all of its code in this
 * function.  Compilers leave such a range where no instruction of the entry remained, and LLDB's breakpoint on the name is there.
 */
static bool is_entered_below(const struct elf_writer_calls *c, const struct elf_writer_call *call)
{
	const struct cairn_range *own = c->ranges.range;
	size_t i = range_find_after(own, c->level[0].call.count, call->entry);

	return call->ranges > 1 && call->entry < own[call->range + 1].low &&
	       i < c->level[0].call.count && own[i].low <= call->entry;
}

/* One call; one that has nothing left is left out, and so is what is inside it.
 */
static bool read_call(struct elf_writer_calls *c, const struct elf_writer *w,
                      const struct elf_writer_function *f, const uint8_t **record,
                      uint32_t *deepest, size_t limit)
{
	struct elf_writer_call call = { .depth = (uint32_t)elf_writer_uleb(record),
		                        .name = (uint32_t)elf_writer_uleb(record),
		                        .file = (uint32_t)elf_writer_uleb(record),
		                        .line = (uint32_t)elf_writer_uleb(record),
		                        .entry = f->start + elf_writer_uleb(record),
		                        .range = c->ranges.count };
	bool placed =
		call.depth >= 1 && call.depth <= ELF_WRITER_LEVELS && call.depth <= *deepest + 1;
	bool below = w->options.for_lldb;

	if (below && !nested_ranges_add(&c->ranges, (struct cairn_range){ call.entry, call.entry }))
		return false;
	if (!read_ranges(c, record, f->start, placed ? &c->level[call.depth - 1] : NULL, limit))
		return false;
	if (!placed)
		return true;
	struct elf_writer_call_level *level = &c->level[call.depth];
	*deepest = call.depth;
	c->deepest = call.depth > c->deepest ? call.depth : c->deepest;
	call.ranges = c->ranges.count - call.range;
	level->call = (struct nested_level){ call.range + below, call.ranges - below };
	if (below && !is_entered_below(c, &call)) {
		call.range++;
		call.ranges--;
	}
	if (level->call.count > 0 && is_disorder(c, level))
		level->call.count = 0;
	return level->call.count == 0 || append_object_call(c, &call);
}

static bool read_calls(struct elf_writer_calls *c, const struct elf_writer *w,
                       const struct elf_writer_function *f, size_t limit)
{
	const uint8_t *record = elf_writer_calls(w, f);
	uint32_t deepest = 0;

	for (uint32_t i = 0; i < f->calls; i++)
		if (!read_call(c, w, f, &record, &deepest, limit))
			return false;
	return true;
}

bool elf_writer_calls_read(struct elf_writer_calls *c, const struct elf_writer *w,
                           const struct elf_writer_function *f)
{
	const struct elf_writer_function *part[2];
	unsigned parts = elf_writer_function_parts(w, f, part);
	size_t limit = f->pieces + RANGES_MORE, parted = 0;

	for (unsigned i = 0; i < parts; i++)
		limit += 2 * part[i]->ranges;
	c->count = c->ranges.count = 0;
	for (uint32_t i = 0; i <= c->deepest; i++)
		c->level[i].taken_count = 0;
	c->deepest = 0;
	c->level[0].call = (struct nested_level){ 0, f->pieces };
	for (size_t i = 0; i < f->pieces; i++)
		if (!nested_ranges_add(&c->ranges, w->own[f->first + i]))
			return false;
	for (unsigned i = 0; i < parts; i++) {
		parted = c->count;
		if (!read_calls(c, w, part[i], limit))
			return false;
	}
	return elf_writer_calls_merge(c, parted, part[0] != f,
	                              parts == 2 && part[0]->is_parted && part[1]->is_parted);
}

static bool is_inside_call(const struct elf_writer_calls *c, const struct elf_writer_call *call,
                           uint64_t va)
{
	const struct cairn_range *range = c->ranges.range + call->range;
	size_t i = range_find_after(range, call->ranges, va);

	return i < call->ranges && range[i].low <= va;
}

/* After the innermost call at `va`; the calls are in pre-order. */
static bool add_scope(struct elf_writer_calls *c, uint64_t va)
{
	struct elf_writer_call scope = { .depth = 1,
		                         .name = ELF_WRITER_NO_CALL,
		                         .range = c->ranges.count };
	size_t at = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (c->call[i].depth != scope.depth || !is_inside_call(c, &c->call[i], va))
			continue;
		scope.depth++;
		at = i + 1;
	}
	bool there = at > 0 && c->call[at - 1].name == ELF_WRITER_NO_CALL;
	if (there || scope.depth > ELF_WRITER_LEVELS)
		return true;
	if (!nested_ranges_add(&c->ranges, (struct cairn_range){ va, va + 1 }) ||
	    !array_grow(&c->call, &c->call_room, c->count + 1, sizeof(scope)))
		return false;
	scope.ranges = 1;
	memmove(c->call + at + 1, c->call + at, (c->count - at) * sizeof(scope));
	c->call[at] = scope;
	c->count++;
	return true;
}

/* At the rows of one part, in code that is the function's. */
static bool add_scopes(struct elf_writer_calls *c, const struct elf_writer *w,
                       const struct elf_writer_function *f, struct elf_writer_rows rows,
                       unsigned *left)
{
	const struct cairn_range *own = w->own + f->first;

	while (*left > 0 && elf_writer_next_row(&rows)) {
		if (!rows.apart)
			continue;
		size_t i = range_find_after(own, f->pieces, rows.va);
		if (i == f->pieces || own[i].low > rows.va)
			continue;
		--*left;
		if (!add_scope(c, rows.va))
			return false;
	}
	return true;
}

bool elf_writer_calls_add_scopes(struct elf_writer_calls *c, const struct elf_writer *w,
                                 const struct elf_writer_function *f)
{
	const struct elf_writer_function *part[2];
	unsigned parts = elf_writer_function_parts(w, f, part), left = SCOPES_MAX;

	for (unsigned i = 0; i < parts; i++)
		if (part[i]->has_apart && !add_scopes(c, w, f, elf_writer_rows(w, part[i]), &left))
			return false;
	return true;
}
