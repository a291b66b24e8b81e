/* SPDX-License-Identifier: MIT */
/*
 * Stores concatenated strings. Each distinct string is stored once, so equal strings have equal
 * pointers. Strings do not move until string_store_finish().
 */
#ifndef CAIRN_DEBUGINFO_STRING_STORE_H
#define CAIRN_DEBUGINFO_STRING_STORE_H

#include "budget.h"

#include "base/table.h"

struct string_store_block;

struct string_store {
	struct budget *budget;
	struct string_store_block *blocks;
	struct cairn_bytes *text;
	size_t count, capacity;
	struct slot_table slots; /* hash table; an entry is an index into text[] plus 1 */
};

/*
 * Store the concatenation of `parts` and set *kept to the stored copy. Returns false if allocation
 * fails or the budget is exhausted.
 */
bool string_store_add(struct string_store *texts, const struct cairn_bytes *parts, size_t count,
                      struct cairn_bytes *kept);
void string_store_finish(struct string_store *texts);

#define TEXT(literal) ((struct cairn_bytes){ (const uint8_t *)(literal), sizeof(literal) - 1 })

#endif
