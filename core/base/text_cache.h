/* SPDX-License-Identifier: MIT */
/*
 * Caches results computed from strings. The cache is bounded: a string replaces another one in the
 * same slot, and results larger than TEXT_CACHE_ENTRY are not kept.
 *
 *	struct text_cache *cache = calloc(1, sizeof(*cache));
 *	const struct text_cache_entry *entry = text_cache_find(cache, name);
 *	if (!entry)
 *		text_cache_keep(cache, name, made, steps);
 *	text_cache_finish(cache);
 *
 * An entry stays valid until the next text_cache_keep().
 */
#ifndef CAIRN_BASE_TEXT_CACHE_H
#define CAIRN_BASE_TEXT_CACHE_H

#include <cairn.h>

enum {
	TEXT_CACHE_SLOTS = 4096,   /* power of two */
	TEXT_CACHE_ENTRY = 1024,   /* size limit of a string and its result */
	TEXT_CACHE_MAX = 256 << 10 /* size limit of all entries; when exceeded, all are dropped */
};

struct text_cache_entry {
	size_t text_size, made_size;
	uint64_t cost;
	uint8_t bytes[];
};

struct text_cache {
	struct text_cache_entry *slot[TEXT_CACHE_SLOTS];
	size_t held;
};

const struct text_cache_entry *text_cache_find(const struct text_cache *cache,
                                               struct cairn_bytes text);

/* Cache a result, unless it is too large or memory is short. `made` may be empty. */
void text_cache_keep(struct text_cache *cache, struct cairn_bytes text, struct cairn_bytes made,
                     uint64_t cost);

void text_cache_finish(struct text_cache *cache);

static inline struct cairn_bytes text_cache_made(const struct text_cache_entry *entry)
{
	return (struct cairn_bytes){ entry->bytes + entry->text_size, entry->made_size };
}

#endif
