/* SPDX-License-Identifier: MIT */
/* Merges objects, so that debuggers see only a few. */
#include "levels.h"

#include "gather.h"
#include "listing.h"

enum {
	MERGED = 32,
	MERGED_BITS = 5,
	LEVELS = 3, /* objects of more than MERGED^3 functions are not merged */
};

static bool overlapping; /* the debugger accepts two sections that begin at one address */

static struct {
	struct cairn_jit_object *object[MERGED];
	uint32_t count;
} level[LEVELS];

static uint32_t find_level(const struct cairn_jit_object *object)
{
	uint32_t number = 0;

	for (uint32_t live = object->body.live; live >= MERGED && number < LEVELS;
	     live >>= MERGED_BITS)
		number++;
	return number;
}

/* Register `fresh` in place of the old objects, and free them. */
static void put_in_place(struct cairn_jit_object *fresh, bool apart, struct cairn_jit_object **old,
                         uint32_t count)
{
	const bool first = apart || overlapping;

	if (first)
		cairn_jit_listing_tell_added(fresh);
	for (uint32_t i = 0; i < count; i++) {
		cairn_jit_listing_tell_dropped(old[i]);
		cairn_jit_discard(old[i]);
	}
	if (!first)
		cairn_jit_listing_tell_added(fresh);
}

static struct cairn_jit_object *merge_level(uint32_t number)
{
	bool apart;
	struct cairn_jit_object *merged = cairn_jit_gather(level[number].object, MERGED, &apart);

	if (merged)
		put_in_place(merged, apart, level[number].object, MERGED);
	level[number].count = 0;
	return merged;
}

static void enter_level(struct cairn_jit_object *object)
{
	while (object) {
		const uint32_t number = find_level(object);

		if (number == LEVELS)
			return;
		level[number].object[level[number].count++] = object;
		object = level[number].count == MERGED ? merge_level(number) : NULL;
	}
}

CAIRN_JIT_INTERNAL void cairn_jit_levels_overlap(bool may)
{
	overlapping = may;
}

CAIRN_JIT_INTERNAL void cairn_jit_levels_add(struct cairn_jit_object *object)
{
	cairn_jit_listing_tell_added(object);
	enter_level(object);
}

CAIRN_JIT_INTERNAL void cairn_jit_levels_take(const struct cairn_jit_object *object)
{
	for (uint32_t number = 0; number < LEVELS; number++)
		for (uint32_t i = 0; i < level[number].count; i++)
			if (level[number].object[i] == object) {
				level[number].object[i] =
					level[number].object[--level[number].count];
				return;
			}
}

CAIRN_JIT_INTERNAL void cairn_jit_levels_drop(struct cairn_jit_object *object)
{
	cairn_jit_levels_take(object);
	cairn_jit_listing_tell_dropped(object);
	cairn_jit_discard(object);
}

CAIRN_JIT_INTERNAL void cairn_jit_levels_renew(struct cairn_jit_object *object)
{
	bool apart;
	struct cairn_jit_object *fresh =
		object->body.live ? cairn_jit_gather(&object, 1, &apart) : NULL;

	cairn_jit_levels_take(object);
	if (fresh) {
		put_in_place(fresh, apart, &object, 1);
		enter_level(fresh);
		return;
	}
	cairn_jit_listing_tell_dropped(object); /* memory is short: register the object as it is */
	cairn_jit_levels_add(object);
}
