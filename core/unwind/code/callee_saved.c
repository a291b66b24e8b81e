/* SPDX-License-Identifier: MIT */
/*
 * Caches the data-flow result of each function and recovers registers from it (see callee_saved.h).
 */
#include "callee_saved.h"

#include "function_code.h"

#include "base/memory.h"
#include "base/table.h"
#include "unwind/target/arch.h"
#include "unwind/target/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	CACHE_FACTS = 1 << 10,
	CACHE_FUNCTIONS_MAX = 1 << 16,
	CACHE_FACTS_MAX = 1 << 20, /* 16 MB; when exceeded, the cache is emptied */
};

static const uint8_t saved_registers[FLOW_SAVED_REGISTERS] = { 3, 12, 13, 14, 15 };

/*
 * All facts are in one pool. A header precedes the facts of each function: a fact whose `start` is
 * their number. If the number is 0, nothing is known about the function.
 */
struct callee_saved_cache {
	struct number_map functions; /* function start + 1 -> index of its header in the pool */
	struct flow_fact *fact;
	size_t facts, room;
	struct function_code_work work;
};

static void forget_all(struct callee_saved_cache *cache)
{
	free(cache->functions.slot);
	free(cache->fact);
	cache->functions = (struct number_map){ .slot = NULL };
	cache->fact = NULL;
	cache->facts = cache->room = 0;
}

static void saved_free(struct callee_saved_cache *cache)
{
	if (cache)
		forget_all(cache);
	free(cache);
}

/* Return the header before the function's facts, or NULL if it was not analyzed yet. */
static const struct flow_fact *find_function_facts(const struct callee_saved_cache *cache,
                                                   uint64_t start)
{
	uint32_t place;

	return number_map_find(&cache->functions, start + 1, &place) ? &cache->fact[place] : NULL;
}

/* Cache the facts of a function. Empty the cache first if they do not fit. */
static bool keep_facts(struct callee_saved_cache *cache, uint64_t start,
                       const struct flow_fact *facts, uint32_t count)
{
	if (start == UINT64_MAX)
		return false;
	if (count >= CACHE_FACTS_MAX - cache->facts ||
	    cache->functions.count >= CACHE_FUNCTIONS_MAX)
		forget_all(cache);
	struct number_slot *slot = number_map_at(&cache->functions, start + 1);
	if (!slot || !array_grow_from(&cache->fact, &cache->room, cache->facts + 1 + count,
	                              sizeof(*cache->fact), CACHE_FACTS))
		return false;
	cache->functions.count += slot->key == 0;
	*slot = (struct number_slot){ start + 1, (uint32_t)cache->facts };
	cache->fact[cache->facts++] = (struct flow_fact){ .start = count };
	if (count > 0)
		memcpy(cache->fact + cache->facts, facts, count * sizeof(*facts));
	cache->facts += count;
	return true;
}

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

static bool learn_function(struct cairn_space *space, struct module *module, uint64_t start)
{
	static const struct flow_fact untouched = { 0, { 1, 1, 1, 1, 1 } };
	struct callee_saved_cache *cache = module->saved;

	switch (function_code_analyze(space, module, &cache->work, start)) {
	case FUNCTION_CODE_UNTOUCHED:
		return keep_facts(cache, start, &untouched, 1);
	case FUNCTION_CODE_ANALYZED:
		if (!keep_pieces(space->flow, cache, start))
			return false;
		break;
	case FUNCTION_CODE_UNKNOWN:
		break;
	}
	return find_function_facts(cache, start) || keep_facts(cache, start, NULL, 0);
}

/*
 * Return the header before the function's facts, analyzing it if needed. Return NULL if memory is
 * short.
 */
static const struct flow_fact *facts_of(struct cairn_space *space, struct module *module,
                                        uint64_t start)
{
	struct callee_saved_cache *cache = module->saved;
	const struct flow_fact *known = cache ? find_function_facts(cache, start) : NULL;

	if (known)
		return known;
	if (!cache)
		module->saved = cache = calloc(1, sizeof(*cache));
	module->free_saved = saved_free;
	if (!space->flow)
		space->flow = malloc(sizeof(*space->flow));
	return cache && space->flow && learn_function(space, module, start)
	               ? find_function_facts(cache, start)
	               : NULL;
}

static const struct flow_fact *find_fact(const struct flow_fact *counted, uint64_t into)
{
	const struct flow_fact *base = counted + 1;

	for (uint32_t left = counted->start; left > 1;) {
		uint32_t half = left / 2;
		if (base[half].start <= into)
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
	const struct flow_fact *counted = facts_of(space, module, at->function);
	if (!counted || counted->start == 0)
		return;
	const struct flow_fact fact = *find_fact(counted, at->va - at->function);
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
