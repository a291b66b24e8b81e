/* SPDX-License-Identifier: MIT */
/* Stores the locations of looked-up addresses and returns them for repeated frames. */
#include "answer_cache.h"

#include "output.h"

#include <stdlib.h>
#include <string.h>

enum {
	LOCATIONS = 256,
	KEPT_PATH = 1 << 12,
	KEPT_NAME = 1 << 16, /* bytes of a name; C++ names can be long */
};

static size_t hash_address_slot(uint64_t module, uint64_t va)
{
	uint64_t hash = (va + module * 0x9e3779b97f4a7c15u) * 0x9e3779b97f4a7c15u;

	return (size_t)(hash >> 48) % MARKUP_CACHE_SLOTS;
}

static bool is_known_address(const struct cached_answer *known, uint64_t module, uint64_t va)
{
	return known && known->va == va && known->module == module;
}

const struct cached_answer *markup_cache_find(const struct markup_cache *cache, uint64_t module,
                                              uint64_t va)
{
	size_t slot = hash_address_slot(module, va);

	if (!cache->slot)
		return NULL;
	if (is_known_address(cache->slot[slot], module, va))
		return cache->slot[slot];
	return is_known_address(cache->slot[slot ^ 1], module, va) ? cache->slot[slot ^ 1] : NULL;
}

static size_t clamp_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t path_size(const struct cairn_location *location)
{
	return clamp_size(cairn_location_path(location, NULL, 0), KEPT_PATH);
}

static size_t cached_answer_size(const struct cairn_markup_result *answer, size_t count)
{
	size_t size = sizeof(struct cached_answer) + count * sizeof(struct cached_frame) +
	              clamp_size(answer->name.size, KEPT_NAME);

	for (size_t i = 0; i < count; i++)
		size += clamp_size(answer->locations[i].function.size, KEPT_NAME) +
		        path_size(&answer->locations[i]) + 1;
	return size;
}

static struct cairn_bytes append_known_text(char **at, struct cairn_bytes text)
{
	struct cairn_bytes kept = { (uint8_t *)*at, clamp_size(text.size, KEPT_NAME) };

	memcpy(*at, text.data, kept.size);
	*at += kept.size;
	return kept;
}

static void fill_known(struct cached_answer *known, const struct cairn_markup_result *answer)
{
	char *at = (char *)&known->frame[known->count];

	known->name = append_known_text(&at, answer->name);
	for (size_t i = 0; i < known->count; i++) {
		const struct cairn_location *from = &answer->locations[i];
		struct cached_frame *to = &known->frame[i];
		to->function = append_known_text(&at, from->function);
		to->file = (struct cairn_bytes){ (uint8_t *)at, path_size(from) };
		cairn_location_path(from, at, to->file.size + 1);
		at += to->file.size + 1;
		to->line = from->line;
		to->column = from->column;
		to->inlined = from->inlined;
		to->plain = markup_out_is_plain(to->function) && markup_out_is_plain(to->file);
	}
	if (known->count > 0 && known->name.size == 0)
		known->name = known->frame[known->count - 1].function;
}

static void free_cache_slot(struct markup_cache *cache, size_t slot)
{
	free(cache->slot[slot]);
	cache->slot[slot] = NULL;
}

static void clear_answers(struct markup_cache *cache)
{
	for (size_t i = 0; cache->slot && i < MARKUP_CACHE_SLOTS; i++)
		free_cache_slot(cache, i);
	cache->bytes = 0;
}

/* Store an answer in its slot, and move the answer that was there to the neighboring slot. */
static void store_known(struct markup_cache *cache, struct cached_answer *known)
{
	size_t slot = hash_address_slot(known->module, known->va);

	if (cache->slot[slot]) {
		free_cache_slot(cache, slot ^ 1);
		cache->slot[slot ^ 1] = cache->slot[slot];
	}
	cache->slot[slot] = known;
}

const struct cached_answer *markup_cache_add(struct markup_cache *cache, uint64_t module,
                                             uint64_t va, const struct cairn_markup_result *answer)
{
	static const struct cairn_markup_result none = { .name = { (const uint8_t *)"", 0 } };
	bool has_symbols = answer != NULL;

	answer = answer ? answer : &none;
	size_t count = clamp_size(answer->count, LOCATIONS),
	       size = cached_answer_size(answer, count);

	if (!cache->slot)
		cache->slot = calloc(MARKUP_CACHE_SLOTS, sizeof(struct cached_answer *));
	if (!cache->slot)
		return NULL;
	if (cache->bytes + size > MARKUP_CACHE_BYTES)
		clear_answers(cache);
	struct cached_answer *known = malloc(size);
	if (!known)
		return NULL;
	known->module = module;
	known->va = va;
	known->count = count;
	known->has_symbols = has_symbols;
	fill_known(known, answer);
	store_known(cache, known);
	cache->bytes += size;
	return known;
}

void markup_cache_finish(struct markup_cache *cache)
{
	clear_answers(cache);
	free(cache->slot);
	cache->slot = NULL;
}
