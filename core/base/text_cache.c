/* SPDX-License-Identifier: MIT */
/* Caches results computed from strings in a bounded table. */
#include "text_cache.h"

#include "hash.h"

#include <stdlib.h>

static size_t count_entry_bytes(size_t text_size, size_t made_size)
{
	return sizeof(struct text_cache_entry) + text_size + made_size;
}

static size_t slot_of_text(struct cairn_bytes text)
{
	return (size_t)hash_bytes(text) % TEXT_CACHE_SLOTS;
}

static void drop_entry(struct text_cache *cache, size_t slot)
{
	struct text_cache_entry *entry = cache->slot[slot];

	if (!entry)
		return;
	cache->held -= count_entry_bytes(entry->text_size, entry->made_size);
	free(entry);
	cache->slot[slot] = NULL;
}

void text_cache_finish(struct text_cache *cache)
{
	for (size_t i = 0; i < TEXT_CACHE_SLOTS; i++)
		drop_entry(cache, i);
}

const struct text_cache_entry *text_cache_find(const struct text_cache *cache,
                                               struct cairn_bytes text)
{
	const struct text_cache_entry *entry = cache->slot[slot_of_text(text)];

	if (!entry || entry->text_size != text.size ||
	    (text.size > 0 && memcmp(entry->bytes, text.data, text.size) != 0))
		return NULL;
	return entry;
}

void text_cache_keep(struct text_cache *cache, struct cairn_bytes text, struct cairn_bytes made,
                     uint64_t cost)
{
	const size_t slot = slot_of_text(text);

	if (text.size > TEXT_CACHE_ENTRY || made.size > TEXT_CACHE_ENTRY - text.size)
		return;
	const size_t size = count_entry_bytes(text.size, made.size);
	if (size > TEXT_CACHE_MAX - cache->held)
		text_cache_finish(cache);
	struct text_cache_entry *entry = malloc(size);
	if (!entry)
		return;
	drop_entry(cache, slot);
	*entry = (struct text_cache_entry){ text.size, made.size, cost };
	if (text.size > 0)
		memcpy(entry->bytes, text.data, text.size);
	if (made.size > 0)
		memcpy(entry->bytes + text.size, made.data, made.size);
	cache->held += size;
	cache->slot[slot] = entry;
}
