/* SPDX-License-Identifier: MIT */
/*
 * Remembers what was made of texts, so that equal ones are not read again.  It is bounded: a text takes the place of
 * another one with the same slot, and what is above TEXT_CACHE_ENTRY is not kept.
 *
 *	struct text_cache *cache = calloc(1, sizeof(*cache));
 *	const struct text_cache_entry *entry = text_cache_find(cache, name);
 *	if (!entry)
 *		text_cache_keep(cache, name, made, steps);
 *	text_cache_finish(cache);
 *
 * An entry stays until the next text_cache_keep().
 */
#ifndef CAIRN_BASE_TABLE_TEXT_CACHE_H
#define CAIRN_BASE_TABLE_TEXT_CACHE_H

#include <cairn.h>

enum {
	TEXT_CACHE_SLOTS = 4096, /* a power of two */
	TEXT_CACHE_ENTRY = 1024, /* bytes of a text and of what was made of it */
	TEXT_CACHE_MAX =
		256 << 10 /* bytes of all entries; when they are used up, all are dropped */
};

struct text_cache_entry {
	size_t text_size, made_size;
	uint64_t cost; /* as the caller counts it */
	uint8_t bytes[];
};

struct text_cache {
	struct text_cache_entry *slot[TEXT_CACHE_SLOTS]; /* NULL: free */
	size_t held;                                     /* bytes of all entries */
};

/* What is remembered of `text`; NULL: nothing. */
const struct text_cache_entry *text_cache_find(const struct text_cache *cache,
                                               struct cairn_bytes text);

/* Remembers it, unless it is too large or memory is short.  `made` may be empty. */
void text_cache_keep(struct text_cache *cache, struct cairn_bytes text, struct cairn_bytes made,
                     uint64_t cost);

void text_cache_finish(struct text_cache *cache);

static inline struct cairn_bytes text_cache_made(const struct text_cache_entry *entry)
{
	return (struct cairn_bytes){ entry->bytes + entry->text_size, entry->made_size };
}

#endif
