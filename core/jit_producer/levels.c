/* SPDX-License-Identifier: MIT */
/* Merges objects, so that debuggers have few. */
#include "levels.h"

#include "gather.h"
#include "listing.h"

enum {
	MERGED = 16,
	MERGED_BITS = 4,
	LEVELS = 3, /* objects of more than MERGED^3 functions stay as they are */
};

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

/* Merged objects are forgotten before the new one is told of, because no two may have the same addresses. */
static struct cairn_jit_object *merge_level(uint32_t number)
{
	struct cairn_jit_object *merged = cairn_jit_gather(level[number].object, MERGED);

	for (uint32_t i = 0; merged && i < MERGED; i++) {
		cairn_jit_listing_tell_dropped(level[number].object[i]);
		cairn_jit_discard(level[number].object[i]);
	}
	level[number].count = 0;
	return merged;
}

CAIRN_JIT_INTERNAL void cairn_jit_levels_add(struct cairn_jit_object *object)
{
	while (object) {
		const uint32_t number = find_level(object);

		cairn_jit_listing_tell_added(object);
		if (number == LEVELS)
			return;
		level[number].object[level[number].count++] = object;
		object = level[number].count == MERGED ? merge_level(number) : NULL;
	}
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
	cairn_jit_levels_take(object);
	cairn_jit_listing_tell_dropped(object);
	(void)cairn_jit_rebuild(object, NULL, 0); /* when memory is short it goes on as it is */
	cairn_jit_levels_add(object);
}
