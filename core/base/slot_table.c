/* SPDX-License-Identifier: MIT */
/* Grows and rebuilds the hash index of numbered items. */
#include "slot_table.h"
#include "table_memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1 << 8 };
static const size_t slots_max = (size_t)1 << 31; /* item numbers have 32 bits */

/* Enter all items. They are distinct, so no comparison is needed. */
static void enter_items(struct slot_table *table, size_t count,
                        uint64_t (*hash_of)(const void *items, uint32_t number), const void *items)
{
	size_t mask = table->slots - 1;

	INVARIANT(count <= table->slots / 2);
	for (uint32_t number = 1; number <= count; number++) {
		size_t at = (size_t)hash_of(items, number) & mask;
		while (table->slot[at] != 0)
			at = (at + 1) & mask;
		table->slot[at] = number;
	}
}

void slot_table_refill(struct slot_table *table, size_t count,
                       uint64_t (*hash_of)(const void *items, uint32_t number), const void *items)
{
	if (table->slots == 0)
		return;
	memset(table->slot, 0, table->slots * sizeof(*table->slot));
	enter_items(table, count, hash_of, items);
}

/*
 * Choose a key from memory addresses of this process, which are unknown to the author of the input.
 */
static uint64_t choose_key(const struct slot_table *table)
{
	uint64_t heap = (uint64_t)(uintptr_t)table->slot, stack = (uint64_t)(uintptr_t)&table;

	return (heap << 20 ^ stack) | 1;
}

bool slot_table_reserve(struct slot_table *table, size_t count,
                        uint64_t (*hash_of)(const void *items, uint32_t number), const void *items)
{
	if (table->crowded && table->key == 0) {
		table->key = choose_key(table);
		slot_table_refill(table, count, hash_of, items);
	}
	if (count < table->slots / 2)
		return true;
	struct slot_table grown = { .slots = table->slots ? 2 * table->slots : FIRST_SLOTS,
		                    .key = table->key,
		                    .crowded = table->crowded };
	if (grown.slots > slots_max)
		return false;
	grown.slot = table_memory_new(grown.slots, sizeof(*grown.slot));
	if (!grown.slot)
		return false;
	free(table->slot);
	*table = grown;
	enter_items(table, count, hash_of, items);
	return true;
}

void slot_table_finish(struct slot_table *table)
{
	free(table->slot);
	*table = (struct slot_table){ .slot = NULL };
}
