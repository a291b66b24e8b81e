/* SPDX-License-Identifier: MIT */
/*
 * The hash table of tables that number equal items once: it finds the number of an item.  The items
 * are the caller's, who numbers them from 1 in the order in which they come.
 *
 *	if (!slot_table_reserve(&list->slots, list->count, hash_item, list))
 *		return false;
 *	uint64_t hash = hash_text(item, list->slots.key);
 *	uint32_t *slot = slot_table_find(&list->slots, hash, is_same_item, list, &item);
 *	if (*slot == 0)
 *		*slot = add_item(list, &item);
 *
 * It grows only, and has four bytes for each slot: at most half of the slots are in use.
 *
 * Input may be written so that all items have one hash.  When a search becomes long, the table gets a
 * key at the next slot_table_reserve(), and enters its items anew; hash_of() and whoever looks for an
 * item use the key (hash.h).  So reserve room first, then compute the hash.
 */
#ifndef CAIRN_BASE_TABLE_SLOT_TABLE_H
#define CAIRN_BASE_TABLE_SLOT_TABLE_H

#include "base/invariant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slot_table {
	uint32_t *slot; /* the number of an item; 0: free */
	size_t slots;   /* a power of two; 0 at first */
	uint64_t key;   /* of the hashes; 0: the plain ones */
	bool crowded;   /* a search was long: the table needs a key */
};

/* With good hashes the longest searches take some 60 steps, however many items there are. */
enum { SLOT_TABLE_LONG = 256 };

/*
 * Makes room for one item more than the `count` that it has.  hash_of() returns the hash of the item
 * with a number.  Returns false if memory is short, or if there would be more than 2^31 slots.
 */
bool slot_table_reserve(struct slot_table *table, size_t count,
                        uint64_t (*hash_of)(const void *items, uint32_t number), const void *items);

/* Enters the items anew, after their order changed, or some of them went. */
void slot_table_refill(struct slot_table *table, size_t count,
                       uint64_t (*hash_of)(const void *items, uint32_t number), const void *items);

void slot_table_finish(struct slot_table *table);

/*
 * Returns the slot of the item that equals `key`, whose hash is `hash`, or the free slot where it
 * belongs.  The low bits of a hash must depend on all of the item.  The table must have slots.
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

#endif
