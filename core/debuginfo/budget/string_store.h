/* SPDX-License-Identifier: MIT */
/*
 * Texts that had to be put together, each kept once: equal texts are the same pointer.  They stay
 * where they are until string_store_finish().
 */
#ifndef CAIRN_DEBUGINFO_BUDGET_STRING_STORE_H
#define CAIRN_DEBUGINFO_BUDGET_STRING_STORE_H

#include "budget.h"

#include "base/table/slot_table.h"

struct string_store_block;

struct string_store {
	struct budget *budget; /* set once, before the first text */
	struct string_store_block *blocks;
	struct cairn_bytes *text; /* in the order in which they came */
	size_t count, room;
	struct slot_table slots; /* of text[], each by its index + 1 */
};

/* The kept copy of parts[0] parts[1] ...; false when memory is short, or the budget used up. */
bool string_store_add(struct string_store *texts, const struct cairn_bytes *parts, size_t count,
                      struct cairn_bytes *kept);
void string_store_finish(struct string_store *texts);

/* A text of the program itself. */
#define TEXT(literal) ((struct cairn_bytes){ (const uint8_t *)(literal), sizeof(literal) - 1 })

#endif
