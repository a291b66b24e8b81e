/* SPDX-License-Identifier: MIT */
/*
 * Keeps the data-flow result of each function and recovers registers from it (see callee_saved.h).
 */
#include "callee_saved.h"

#include "function_code.h"

#include "base/array_grow.h"
#include "unwind/target/arch.h"
#include "unwind/target/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	CACHE_SLOTS = 1 << 8, /* at first; a power of two */
	CACHE_FACTS = 1 << 10,
	CACHE_SLOTS_MAX = 1 << 17, /* functions of one module: half of it, in 3 MB */
	CACHE_FACTS_MAX = 1 << 20, /* 16 MB; when there are more, all is forgotten */
};

static const uint8_t saved_registers[FLOW_SAVED_REGISTERS] = { 3, 12, 13, 14, 15 };

/* The facts of one function in the pool.  None: nothing is known of it. */
struct callee_saved_function {
	uint64_t start; /* va */
	uint32_t first, count;
	bool used;
};

struct callee_saved_cache {
	struct callee_saved_function *slot; /* by hash; never full */
	size_t slots, used;
	struct flow_fact *fact;
	size_t facts, room;
	struct function_code_work work;
};

static void forget_all(struct callee_saved_cache *cache)
{
	free(cache->slot);
	free(cache->fact);
	cache->slot = NULL;
	cache->fact = NULL;
	cache->slots = cache->used = cache->facts = cache->room = 0;
}

static void saved_free(struct callee_saved_cache *cache)
{
	if (!cache)
		return;
	forget_all(cache);
	free(cache);
}

/* Where the function is, or would be. */
static struct callee_saved_function *find_function_slot(const struct callee_saved_cache *cache,
                                                        uint64_t start)
{
	uint64_t mixed = start * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(mixed >> 32) & (cache->slots - 1);

	while (cache->slot[at].used && cache->slot[at].start != start)
		at = (at + 1) & (cache->slots - 1);
	return &cache->slot[at];
}

static bool grow_slots(struct callee_saved_cache *cache)
{
	struct callee_saved_cache grown = { .slots =
		                                    cache->slots ? 2 * cache->slots : CACHE_SLOTS };

	grown.slot = calloc(grown.slots, sizeof(*grown.slot));
	if (!grown.slot)
		return false;
	for (size_t i = 0; i < cache->slots; i++)
		if (cache->slot[i].used)
			*find_function_slot(&grown, cache->slot[i].start) = cache->slot[i];
	free(cache->slot);
	cache->slot = grown.slot;
	cache->slots = grown.slots;
	return true;
}

static bool grow_facts(struct callee_saved_cache *cache, size_t more)
{
	return array_grow_from(&cache->fact, &cache->room, cache->facts + more,
	                       sizeof(*cache->fact), CACHE_FACTS);
}

/* Keep them, and nothing else when there is no room for more. */
static bool keep_facts(struct callee_saved_cache *cache, uint64_t start,
                       const struct flow_fact *facts, uint32_t count)
{
	if (count > CACHE_FACTS_MAX - cache->facts || cache->used >= CACHE_SLOTS_MAX / 2)
		forget_all(cache);
	if ((2 * cache->used >= cache->slots && !grow_slots(cache)) || !grow_facts(cache, count))
		return false;
	struct callee_saved_function *slot = find_function_slot(cache, start);
	cache->used += slot->used ? 0 : 1;
	*slot = (struct callee_saved_function){ start, (uint32_t)cache->facts, count, true };
	if (count > 0)
		memcpy(cache->fact + cache->facts, facts, count * sizeof(*facts));
	cache->facts += count;
	return true;
}

/* Keeps what is known of the function that was followed, and of the piece that was asked for. */
static bool keep_pieces(const struct flow *flow, struct callee_saved_cache *cache, uint64_t asked)
{
	for (uint32_t p = 0; p < flow->pieces; p++) {
		uint32_t count;
		const struct flow_fact *facts = flow_facts(flow, p, &count);
		uint64_t start = flow->piece[p].va;
		if ((p == 0 || start == asked) && !keep_facts(cache, start, facts, count))
			return false;
	}
	return true;
}

/* Follow the function, and keep what was found, be it nothing. */
static bool learn_function(struct cairn_space *space, struct module *module, uint64_t start)
{
	static const struct flow_fact untouched = { 0, { 1, 1, 1, 1, 1 } };
	struct callee_saved_cache *cache = module->saved;
	const struct function_code_context place = { space, module, &cache->work };

	switch (function_code_analyze(&place, start)) {
	case FUNCTION_CODE_UNTOUCHED:
		return keep_facts(cache, start, &untouched, 1);
	case FUNCTION_CODE_ANALYZED:
		if (!keep_pieces(space->flow, cache, start))
			return false;
		break;
	case FUNCTION_CODE_UNKNOWN:
		break;
	}
	return (cache->slots > 0 && find_function_slot(cache, start)->used) ||
	       keep_facts(cache, start, NULL, 0);
}

/* What is known of the function; NULL when memory is short. */
static const struct callee_saved_function *facts_of(struct cairn_space *space,
                                                    struct module *module, uint64_t start)
{
	struct callee_saved_cache *cache = module->saved;

	if (cache && cache->slots > 0 && find_function_slot(cache, start)->used)
		return find_function_slot(cache, start);
	if (!cache)
		module->saved = cache = calloc(1, sizeof(*cache));
	module->free_saved = saved_free;
	if (!space->flow)
		space->flow = malloc(sizeof(*space->flow));
	return cache && space->flow && learn_function(space, module, start)
	               ? find_function_slot(cache, start)
	               : NULL;
}

static const struct flow_fact *find_fact(const struct callee_saved_cache *cache,
                                         const struct callee_saved_function *function, uint64_t va)
{
	const struct flow_fact *base = cache->fact + function->first;

	for (uint32_t left = function->count; left > 1;) {
		uint32_t half = left / 2;
		if (base[half].start <= va - function->start)
			base += half;
		left -= half;
	}
	return base;
}

void callee_saved_recover(struct cairn_space *space, struct module *module,
                          const struct callee_saved_frame *at, struct cairn_registers *caller)
{
	const struct cairn_registers *frame = at->frame;
	uint64_t value;

	if (frame->machine != CAIRN_MACHINE_AMD64)
		return;
	const struct callee_saved_function *function = facts_of(space, module, at->function);
	if (!function || function->count == 0)
		return;
	const struct flow_fact fact = *find_fact(module->saved, function, at->va);
	for (unsigned i = 0; i < FLOW_SAVED_REGISTERS; i++) {
		unsigned reg = saved_registers[i];
		if (fact.where[i] == FLOW_SAME && register_known(frame, reg))
			register_set(caller, reg, frame->value[reg]);
		else if (fact.where[i] < 0 &&
		         memory_word(&space->target, at->cfa + (uint64_t)(fact.where[i] * WORD),
		                     false, &value))
			register_set(caller, reg, value);
	}
}
