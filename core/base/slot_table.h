/* SPDX-License-Identifier: MIT */
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
 * Hostile input may contain many items with one hash. After a long probe, the next
 * slot_table_reserve() selects a key and rehashes the items; hash_of() and all lookups must use
 * that key (hash.h). So call slot_table_reserve() before computing a hash.
 */
#ifndef CAIRN_BASE_SLOT_TABLE_H
#define CAIRN_BASE_SLOT_TABLE_H

#include "invariant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slot_table {
	uint32_t *slot; /* item number; 0: unused */
	size_t slots;
	uint64_t key; /* hash key; 0 selects the unkeyed hash */
	bool crowded; /* a probe exceeded SLOT_TABLE_LONG; rehash with a key */
};

/* With good hashes the longest probes take some 60 steps, regardless of the number of items. */
enum { SLOT_TABLE_LONG = 256 };

/*
 * Reserve a slot for one more item than the current `count`. hash_of() returns the hash of the item
 * with a number. Return false if memory is short, or if there would be more than 2^31 slots.
 */
bool slot_table_reserve(struct slot_table *table, size_t count,
                        uint64_t (*hash_of)(const void *items, uint32_t number), const void *items);

void slot_table_refill(struct slot_table *table, size_t count,
                       uint64_t (*hash_of)(const void *items, uint32_t number), const void *items);

void slot_table_finish(struct slot_table *table);

/*
 * Return the slot of the item that equals `key`, whose hash is `hash`, or the unused slot where it
 * belongs. The low bits of a hash must depend on all of the item. The table must have slots.
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
