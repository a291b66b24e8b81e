/* SPDX-License-Identifier: MIT */
/*
 * A string table in the making: each text is in it once, ended with NUL, and has a number.
 *
 *	uint32_t number = interner_add(&table, text);
 *	... table.entry[number].offset, in table.text
 *
 * Number 0 is the empty text at offset 0; it also stands for what memory was short for, and then
 * table.text.failed is set.
 */
#ifndef CAIRN_BASE_TABLE_INTERNER_H
#define CAIRN_BASE_TABLE_INTERNER_H

#include "slot_table.h"

#include "base/byte_buffer.h"

struct interner_entry {
	uint32_t offset, size;
	uint32_t mark; /* for whoever uses the table; 0 at first */
};

enum { INTERNER_RECENT = 1024 };

struct interner {
	struct byte_buffer text;
	struct interner_entry *entry;
	uint32_t count;
	size_t room;
	struct slot_table slots; /* of entry[] */
	struct interner_recent {
		const uint8_t *data;
		size_t size;
		uint32_t number;
	} recent[INTERNER_RECENT];
};

/* `limit` bounds the text.  False when memory is short. */
bool interner_init(struct interner *table, size_t limit);
void interner_finish(struct interner *table);

/* A text that stays where it is as long as the table is filled: it is known again by its address.
 */
uint32_t interner_add(struct interner *table, struct cairn_bytes text);

/* The text with a number, which must be one of the table. */
struct cairn_bytes interner_text(const struct interner *table, uint32_t number);

/* A text that may change. */
uint32_t interner_add_copy(struct interner *table, struct cairn_bytes text);

#endif
