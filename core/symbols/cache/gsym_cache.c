/* SPDX-License-Identifier: MIT */
/* Caches decoded GSYM functions within a memory bound and evicts those not used recently. */
#include "gsym_cache.h"

#include "base/invariant.h"

#include <stdlib.h>

enum {
	FIRST_BITS = 6,
	ASKED_OFTEN = 4,
	ASKED_OFTEN_FULL =
		64, /* when others must be dropped for it: a decoding costs three lookups */
	REFUSED = UINT8_MAX, /* it cannot be decoded */
	PART_OF_LIMIT = 4,
	DECODING_MAX = 32 << 20, /* enough for a function of 100,000 inlined calls */
};

/*
 * Half of the bound, or DECODING_MAX if that is less, is for decoding: half of that for what it
 * needs, half for the result.
 */
void gsym_cache_init(struct gsym_cache *cache, const struct gsym *gsym, size_t limit)
{
	size_t decoding = limit / 2 < DECODING_MAX ? limit / 2 : DECODING_MAX;

	*cache = (struct gsym_cache){ .gsym = gsym,
		                      .limit = limit - decoding,
		                      .work_limit = decoding / 2 };
}

static size_t slot_count(const struct gsym_cache *cache)
{
	return cache->slots ? (size_t)1 << cache->slot_bits : 0;
}

void gsym_cache_finish(struct gsym_cache *cache)
{
	for (size_t i = 0; i < slot_count(cache); i++)
		free(cache->slots[i].decoded);
	free(cache->slots);
	free(cache->touches);
	free(cache->files);
	free(cache->guide);
	*cache = (struct gsym_cache){ .gsym = cache->gsym,
		                      .limit = cache->limit,
		                      .work_limit = cache->work_limit };
}

/* Memory for the cache itself, zeroed, within the bound. */
static void *allocate_cache_memory(struct gsym_cache *cache, size_t count, size_t size, size_t most)
{
	size_t bytes = count * size;

	if (bytes / size != count || bytes > most || bytes > cache->limit - cache->bytes)
		return NULL;
	void *memory = calloc(count, size);
	if (!memory)
		return NULL;
	cache->bytes += bytes;
	cache->peak = cache->bytes > cache->peak ? cache->bytes : cache->peak;
	return memory;
}

static uint32_t find_home_slot(const struct gsym_cache *cache, uint32_t index)
{
	return (index * UINT32_C(0x9e3779b1)) >> (32 - cache->slot_bits);
}

static uint32_t find_next_slot(const struct gsym_cache *cache, uint32_t slot)
{
	return (slot + 1) & (((uint32_t)1 << cache->slot_bits) - 1);
}

struct decoded *gsym_cache_get(const struct gsym_cache *cache, uint32_t index)
{
	if (!cache->slots)
		return NULL;
	uint32_t slot = find_home_slot(cache, index);
	while (cache->slots[slot].decoded && cache->slots[slot].index != index)
		slot = find_next_slot(cache, slot);
	return cache->slots[slot].decoded;
}

static void insert_decoded(struct gsym_cache *cache, struct decoded *decoded)
{
	uint32_t slot = find_home_slot(cache, decoded->index);

	while (cache->slots[slot].decoded)
		slot = find_next_slot(cache, slot);
	cache->slots[slot] = (struct gsym_cache_slot){ decoded, decoded->index };
	cache->count++;
}

/* Makes a slot free and moves those after it that a search would no longer find. */
static void evict_decoded(struct gsym_cache *cache, uint32_t slot)
{
	uint32_t mask = ((uint32_t)1 << cache->slot_bits) - 1;

	cache->bytes -= cache->slots[slot].decoded->bytes;
	free(cache->slots[slot].decoded);
	cache->count--;
	for (uint32_t next = find_next_slot(cache, slot); cache->slots[next].decoded;
	     next = find_next_slot(cache, next)) {
		uint32_t away = (next - find_home_slot(cache, cache->slots[next].index)) & mask;
		if (away >= ((next - slot) & mask)) {
			cache->slots[slot] = cache->slots[next];
			slot = next;
		}
	}
	cache->slots[slot].decoded = NULL;
}

/* Drops what was not used of late, until `bytes` more fit; false when they never will. */
static bool evict_until_fits(struct gsym_cache *cache, size_t bytes)
{
	cache->is_full |= bytes > cache->limit - cache->bytes;
	while (cache->count > 0 && bytes > cache->limit - cache->bytes) {
		struct decoded *d = cache->slots[cache->hand].decoded;
		if (d && !d->was_used) {
			if (cache->touches) /* it has to be asked for again to be decoded again */
				cache->touches[d->index % cache->touch_count] = 0;
			evict_decoded(cache, cache->hand);
			continue;
		}
		if (d)
			d->was_used = false;
		cache->hand = find_next_slot(cache, cache->hand);
	}
	return bytes <= cache->limit - cache->bytes;
}

/* Doubles the slots when half of them are taken. */
static bool ensure_free_slot(struct gsym_cache *cache)
{
	struct gsym_cache old = *cache;
	size_t slots = slot_count(cache);

	if (slots && cache->count < slots / 2)
		return true;
	uint32_t bits = slots ? cache->slot_bits + 1 : FIRST_BITS;
	size_t bytes = sizeof(*old.slots) << bits;
	if (bits >= 32 || !evict_until_fits(cache, bytes))
		return slots && cache->count < slots - 1;
	struct gsym_cache_slot *larger =
		allocate_cache_memory(cache, (size_t)1 << bits, sizeof(*larger), bytes);
	if (!larger)
		return slots && cache->count < slots - 1;
	old = *cache;
	cache->slots = larger;
	cache->slot_bits = bits;
	cache->count = cache->hand = 0;
	for (size_t i = 0; i < slots; i++)
		if (old.slots[i].decoded)
			insert_decoded(cache, old.slots[i].decoded);
	cache->bytes -= slots * sizeof(*old.slots);
	free(old.slots);
	return true;
}

/* How often the function was asked for, or REFUSED; NULL when there is no memory to remember. */
static uint8_t *find_touch_counter(struct gsym_cache *cache, uint32_t index)
{
	size_t most = cache->limit / PART_OF_LIMIT, functions = cache->gsym->functions;

	if (!cache->touches) {
		cache->touch_count = functions < most ? functions : most;
		if (cache->touch_count == 0)
			return NULL;
		cache->touches = allocate_cache_memory(cache, cache->touch_count, 1, most);
	}
	return cache->touches ? &cache->touches[index % cache->touch_count] : NULL;
}

/*
 * A guide to the address table: the starts are sorted by their upper bits into about as many parts
 * as there are functions, so that a search begins among very few.
 */
static void make_guide(struct gsym_cache *cache)
{
	const struct gsym *gsym = cache->gsym;
	uint64_t last = gsym_offset(gsym, gsym->functions - 1);
	uint32_t shift = 0, part = 0;

	while (last >> shift > gsym->functions)
		shift++;
	cache->guide_parts = (uint32_t)(last >> shift) + 1;
	cache->guide_shift = shift;
	cache->guide = allocate_cache_memory(cache, (size_t)cache->guide_parts + 1,
	                                     sizeof(*cache->guide), cache->limit / PART_OF_LIMIT);
	cache->guide_refused = !cache->guide;
	for (uint32_t i = 0; cache->guide && i < gsym->functions; i++) {
		uint64_t offset = gsym_offset(gsym, i);
		if (offset > last || (i > 0 && offset < gsym_offset(gsym, i - 1))) {
			/* a table that does not ascend has no guide */
			cache->bytes -= ((size_t)cache->guide_parts + 1) * sizeof(*cache->guide);
			free(cache->guide);
			cache->guide = NULL;
			cache->guide_refused = true;
			return;
		}
		while (part <= offset >> shift)
			cache->guide[part++] = i;
	}
	if (cache->guide)
		cache->guide[part] = gsym->functions;
}

uint32_t gsym_cache_search(const struct gsym_cache *cache, uint64_t va)
{
	uint64_t key = va - cache->gsym->base;

	if (!cache->guide || va < cache->gsym->base ||
	    cache->guide_parts <= key >> cache->guide_shift)
		return gsym_search(cache->gsym, va);
	const uint32_t *part = &cache->guide[key >> cache->guide_shift];
	/* The function before the part may hold the address too. */
	uint32_t first = part[0] ? part[0] - 1 : 0;
	if (gsym_offset(cache->gsym, first) > key)
		return cache->gsym->functions;
	return gsym_search_among(cache->gsym, first, part[1] - first, va);
}

static struct decoded *store_decoded(struct gsym_cache *cache, struct decoded *decoded)
{
	if (!ensure_free_slot(cache)) {
		free(decoded);
		return NULL;
	}
	if (!cache->guide && !cache->guide_refused)
		make_guide(cache);
	if (!evict_until_fits(cache, decoded->bytes)) {
		free(decoded);
		return NULL;
	}
	cache->bytes += decoded->bytes;
	cache->peak = cache->bytes > cache->peak ? cache->bytes : cache->peak;
	insert_decoded(cache, decoded);
	return decoded;
}

struct decoded *gsym_cache_get_or_decode(struct gsym_cache *cache,
                                         const struct gsym_function *function, bool eager)
{
	uint8_t *touches = find_touch_counter(cache, function->index);
	unsigned often = cache->is_full ? ASKED_OFTEN_FULL : ASKED_OFTEN;

	INVARIANT(!function->is_merged);
	if (!touches || *touches == REFUSED || (++*touches < often && !eager))
		return NULL;
	*touches = 0;
	cache->decodings++;
	struct decoded *decoded = decode_function(cache->gsym, function, cache->work_limit);
	if (!decoded)
		*touches = REFUSED;
	return decoded ? store_decoded(cache, decoded) : NULL;
}

const struct gsym_file *gsym_cache_file(struct gsym_cache *cache, uint32_t index)
{
	struct gsym_cache_file *entry = &cache->only_file;

	if (!cache->files && !cache->files_refused) {
		cache->files =
			allocate_cache_memory(cache, cache->gsym->files, sizeof(*cache->files),
		                              cache->limit / PART_OF_LIMIT);
		cache->files_refused = !cache->files;
	}
	if (cache->files)
		entry = &cache->files[index];
	if (!cache->files || !entry->known)
		entry->known = gsym_file(cache->gsym, index, &entry->file);
	INVARIANT(entry->known);
	return &entry->file;
}
