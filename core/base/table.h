/* SPDX-License-Identifier: MIT */
/*
 * Hash tables: an index of numbered items, a map from numbers to numbers, string tables, and a
 * bounded cache of results computed from strings.
 */
#ifndef CAIRN_BASE_TABLE_H
#define CAIRN_BASE_TABLE_H

#include "byte_buffer.h"
#include "invariant.h"

#include <cairn.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A hash index for tables that store equal items once and number them. The items belong to the
 * caller, who numbers them from 1 in insertion order.
 *
 *	if (!slot_table_reserve(&list->slots, list->count, hash_item, list))
 *		return false;
 *	uint64_t hash = hash_text(item, list->slots.key);
 *	uint32_t *slot = slot_table_find(&list->slots, hash, is_same_item, list, &item);
 *	if (*slot == 0)
 *		*slot = add_item(list, &item);
 *
 * The table only grows. It uses four bytes per slot, and at most half of the slots are in use.
 *
 * Hostile input may contain many items with the same hash. After a long probe, the next
 * slot_table_reserve() selects a key and rehashes the items; hash_of() and all lookups must use
 * that key (hash.h). So call slot_table_reserve() before computing a hash.
 */

struct slot_table {
	uint32_t *slot; /* item numbers; 0 marks an unused slot */
	size_t slots;
	uint64_t key; /* hash key; 0 selects the unkeyed hash */
	/* a probe exceeded SLOT_TABLE_LONG, so the table must be rehashed with a key */
	bool crowded;
};

/*
 * Probe length that indicates crafted items. With well-distributed hashes the longest probes take
 * about 60 steps, whatever the number of items.
 */
enum { SLOT_TABLE_LONG = 256 };

/*
 * Ensure that there is an unused slot for one item more than `count`. hash_of() returns the hash of
 * the item with the given number. Return false if allocation fails or more than 2^31 slots would be
 * needed.
 */
bool slot_table_reserve(struct slot_table *table, size_t count,
                        uint64_t (*hash_of)(const void *items, uint32_t number), const void *items);

void slot_table_refill(struct slot_table *table, size_t count,
                       uint64_t (*hash_of)(const void *items, uint32_t number), const void *items);

void slot_table_finish(struct slot_table *table);

/*
 * Return the slot of the item that equals `key`, or the unused slot where it belongs. `hash` is the
 * hash of `key`; its low bits must depend on the whole item. The table must have slots.
 */
static inline uint32_t *slot_table_find(struct slot_table *table, uint64_t hash,
                                        bool (*is_same)(const void *items, uint32_t number,
                                                        const void *key),
                                        const void *items, const void *key)
{
	size_t mask = table->slots - 1;
	size_t at = (size_t)hash & mask, steps = 0;

	INVARIANT(table->slots > 0 && (table->slots & mask) == 0);

	for (; table->slot[at] != 0 && !is_same(items, table->slot[at], key); steps++)
		at = (at + 1) & mask;
	if (steps > SLOT_TABLE_LONG)
		table->crowded = true;
	return &table->slot[at];
}

/* A hash table from nonzero numbers to numbers. Entries cannot be removed. */
struct number_map {
	struct number_slot {
		uint64_t key;
		uint32_t number;
	} * slot;
	uint32_t bits, count;
};

/*
 * Return the slot for a key, or NULL if allocation fails. If the slot is unused, the caller fills
 * it in and increments `count`.
 */
struct number_slot *number_map_at(struct number_map *map, uint64_t key);

void number_map_soon(const struct number_map *map, uint64_t key);

bool number_map_find(const struct number_map *map, uint64_t key, uint32_t *number);

/*
 * A string table under construction: each string is stored once, NUL-terminated, and has a number.
 *
 *	uint32_t number = interner_add(&table, text);
 *	... table.entry[number].offset, in table.text
 *
 * Number 0 is the empty string at offset 0. It is also returned if allocation fails, which sets
 * table.text.failed.
 */

struct interner_entry {
	uint32_t offset, size;
	uint32_t mark; /* not used by the table, only by its owner; initially 0 */
};

enum { INTERNER_RECENT = 1024 };

struct interner {
	struct byte_buffer text;
	struct interner_entry *entry;
	uint32_t count;
	size_t capacity;
	struct slot_table slots;
	struct interner_recent {
		const uint8_t *data;
		size_t size;
		uint32_t number;
	} recent[INTERNER_RECENT];
};

/*
 * Initialize the table. `limit` is the maximum total size of the strings. Return false if
 * allocation fails.
 */
bool interner_init(struct interner *table, size_t limit);
void interner_finish(struct interner *table);

/*
 * Add a string. Its bytes must not move or change while the table is filled, because repeated
 * strings are recognized by their address.
 */
uint32_t interner_add(struct interner *table, struct cairn_bytes text);

struct cairn_bytes interner_text(const struct interner *table, uint32_t number);

uint32_t interner_add_copy(struct interner *table, struct cairn_bytes text);

/*
 * Stores distinct strings and numbers them in insertion order. The strings are contiguous, so that
 * they can be written to a file at once.
 */

struct string_pool {
	uint8_t *blob;
	size_t blob_size, blob_capacity;
	uint32_t *at; /* start offset of each string, followed by the end of the last one */
	size_t count, capacity;
	/* hash index of the strings; an entry is string number + 1, or 0 if empty */
	struct slot_table slots;
};

#define STRING_POOL_FULL UINT32_MAX

/*
 * Add a string and return its number. Return STRING_POOL_FULL if allocation fails or the strings
 * would exceed 4 GiB.
 */
uint32_t string_pool_add(struct string_pool *pool, struct cairn_bytes text);

uint32_t string_pool_add_utf8(struct string_pool *pool, struct cairn_bytes text);

struct cairn_bytes string_pool_get(const struct string_pool *pool, uint32_t number);
void string_pool_finish(struct string_pool *pool);

/*
 * Caches results computed from strings. The cache is bounded: a string replaces the previous one in
 * its slot, and results larger than TEXT_CACHE_ENTRY are not kept.
 *
 *	struct text_cache *cache = calloc(1, sizeof(*cache));
 *	const struct text_cache_entry *entry = text_cache_find(cache, name);
 *	if (!entry)
 *		text_cache_keep(cache, name, made, steps);
 *	text_cache_finish(cache);
 *
 * An entry is valid until the next text_cache_keep().
 */

enum {
	TEXT_CACHE_SLOTS = 4096, /* must be a power of two */
	TEXT_CACHE_ENTRY = 1024, /* maximum size of a string plus its result in bytes */
	/* maximum size of all entries in bytes; if it is exceeded, all entries are dropped */
	TEXT_CACHE_MAX = 256 << 10
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

/*
 * Cache a result, unless it is too large or allocation fails. `made` is the result, which may be
 * empty.
 */
void text_cache_keep(struct text_cache *cache, struct cairn_bytes text, struct cairn_bytes made,
                     uint64_t cost);

void text_cache_finish(struct text_cache *cache);

static inline struct cairn_bytes text_cache_made(const struct text_cache_entry *entry)
{
	return (struct cairn_bytes){ entry->bytes + entry->text_size, entry->made_size };
}

#endif
