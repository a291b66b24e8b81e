/* SPDX-License-Identifier: MIT */
/*
 * Records the stack writes of a path. Slots with a known value never overlap: a later write that
 * overlaps one partially makes it unknown. Adjacent unknown areas are merged.
 */
#include "stack_writes.h"

#include <stdbool.h>

/* Return true if the areas share a byte. Either may wrap. */
static bool areas_overlap(const struct stack_write *w, uint64_t at, uint64_t size)
{
	return at - w->at < w->size || w->at - at < size;
}

static bool areas_touch(const struct stack_write *w, uint64_t at, uint64_t size)
{
	return at - w->at <= w->size || w->at - at <= size;
}

static void extend_area(struct stack_write *w, uint64_t at, uint64_t size)
{
	const uint64_t low = at - w->at <= w->size ? w->at : at;
	const uint64_t old = w->at + w->size - low, new = at + size - low;

	w->at = low;
	w->size = old > new ? old : new;
}

static void drop_covered(struct stack_writes *s, uint64_t at, uint64_t size)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < s->count; i++) {
		const struct stack_write *w = &s->write[i];
		const uint64_t into = w->at - at;
		if (into >= size || w->size > size - into)
			s->write[kept++] = *w;
	}
	s->count = kept;
}

static void forget_overlapped(struct stack_writes *s, uint64_t at, uint64_t size)
{
	for (unsigned i = 0; i < s->count; i++)
		if (areas_overlap(&s->write[i], at, size))
			s->write[i].place.kind = PLACE_LOST;
}

static bool extend_lost(struct stack_writes *s, uint64_t at, uint64_t size)
{
	for (unsigned i = 0; i < s->count; i++) {
		struct stack_write *w = &s->write[i];
		if (w->place.kind != PLACE_LOST || !areas_touch(w, at, size))
			continue;
		extend_area(w, at, size);
		return true;
	}
	return false;
}

static uint64_t measure_gap(const struct stack_write *w, uint64_t at, uint64_t size)
{
	const uint64_t after = at - (w->at + w->size), before = w->at - (at + size);

	if (areas_touch(w, at, size))
		return 0;
	return after < before ? after : before;
}

/* Merge the area into `w` along with the gap between them. */
static void join_areas(struct stack_write *w, uint64_t at, uint64_t size)
{
	const uint64_t gap = measure_gap(w, at, size);
	const bool is_after = at - (w->at + w->size) == gap;

	extend_area(w, gap && is_after ? at - gap : at, size + gap);
}

static unsigned find_nearest(const struct stack_writes *s, uint64_t at, uint64_t size)
{
	unsigned nearest = 0;

	for (unsigned i = 1; i < s->count; i++)
		if (measure_gap(&s->write[i], at, size) < measure_gap(&s->write[nearest], at, size))
			nearest = i;
	return nearest;
}

/* Merge the area with the nearest one. Both become unknown. */
static void join_nearest(struct stack_writes *s, uint64_t at, uint64_t size)
{
	struct stack_write *nearest = &s->write[find_nearest(s, at, size)];
	struct stack_write joined = *nearest;

	join_areas(&joined, at, size);
	forget_overlapped(s, joined.at, joined.size);
	joined.place.kind = PLACE_LOST;
	*nearest = joined;
}

void stack_writes_add(struct stack_writes *s, uint64_t at, uint64_t size, struct place place)
{
	if (size == 0)
		return;
	drop_covered(s, at, size);
	forget_overlapped(s, at, size);
	if (place.kind == PLACE_LOST && extend_lost(s, at, size))
		return;
	if (s->count == STACK_WRITES)
		join_nearest(s, at, size);
	else
		s->write[s->count++] = (struct stack_write){ at, size, place };
}

struct place stack_writes_find(const struct stack_writes *s, uint64_t at)
{
	const struct place lost = { PLACE_LOST, 0 };

	for (unsigned i = s->count; i-- > 0;) {
		const struct stack_write *w = &s->write[i];
		if (areas_overlap(w, at, STACK_SLOT))
			return w->at == at && w->place.kind != PLACE_LOST ? w->place : lost;
	}
	return (struct place){ PLACE_STACK, at };
}
