/* SPDX-License-Identifier: MIT */
/* Interns unwind rules, so that equal ones share an index. */
#include "sframe_rule_pool.h"

#include "base/rule_places.h"

#include <stdlib.h>

enum {
	FIRST_ROOM = 64,
	MAX_PROBES = 256, /* half of the slots are unused; honest inputs need about ten probes */
};

static bool same_shape(const struct cairn_rule *a, const struct cairn_rule *b)
{
	return rule_has_same_places(a, b) && a->machine == b->machine &&
	       a->outermost == b->outermost && a->signal == b->signal &&
	       a->trampoline == b->trampoline && a->mangled == b->mangled && a->key_b == b->key_b &&
	       a->patched == b->patched;
}

static uint32_t mix_hash(uint32_t hash, uint64_t value)
{
	uint64_t product = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(product >> 32);
}

static uint32_t hash_of(const struct cairn_rule *rule)
{
	uint32_t hash = mix_hash(0, (uint64_t)rule->cfa.offset);

	hash = mix_hash(hash, (uint64_t)rule->fp.offset);
	hash = mix_hash(hash, (uint64_t)rule->ra.offset);
	return mix_hash(hash, (uint64_t)rule->cfa.base << 16 | (uint64_t)rule->fp.kind << 8 |
	                              (uint64_t)rule->ra.kind);
}

/*
 * Return the slot of an equal rule, or the unused slot where it belongs. Return NULL after
 * MAX_PROBES, which only crafted collisions reach.
 */
static uint32_t *find_shape_slot(const struct rule_pool *shapes, const struct cairn_rule *rule)
{
	uint32_t at = hash_of(rule) & (shapes->slot_count - 1);

	for (unsigned i = 0; i < MAX_PROBES; i++) {
		uint32_t *slot = &shapes->slots[(at + i) & (shapes->slot_count - 1)];
		if (!*slot || same_shape(&shapes->rules[*slot - 1], rule))
			return slot;
	}
	return NULL;
}

/* Double the capacity. Half of the slots stay unused. */
static bool grow_shapes(struct rule_pool *shapes)
{
	uint32_t room = shapes->room ? 2 * shapes->room : FIRST_ROOM;
	uint32_t *slots = calloc(2 * (size_t)room, sizeof(*slots));
	struct cairn_rule *rules = realloc(shapes->rules, room * sizeof(*rules));

	if (rules)
		shapes->rules = rules;
	if (!rules || !slots) {
		free(slots);
		return false;
	}
	free(shapes->slots);
	shapes->slots = slots;
	shapes->slot_count = 2 * room;
	shapes->room = room;
	for (uint32_t i = 0; i < shapes->count; i++) {
		uint32_t *slot = find_shape_slot(shapes, &rules[i]);
		if (slot)
			*slot = i + 1;
	}
	return true;
}

bool rule_pool_add(struct rule_pool *shapes, const struct cairn_rule *rule, uint32_t *number)
{
	if (shapes->count == shapes->room && !grow_shapes(shapes))
		return false;
	uint32_t *slot = find_shape_slot(shapes, rule);
	*number = RULE_POOL_NONE;
	if (!slot || (!*slot && shapes->count == RULE_POOL_MAX))
		return true;
	if (!*slot) {
		shapes->rules[shapes->count++] = *rule;
		*slot = shapes->count;
	}
	*number = *slot - 1;
	return true;
}

void rule_pool_finish(struct rule_pool *shapes)
{
	free(shapes->slots);
	free(shapes->rules);
}
