/* SPDX-License-Identifier: MIT */
/*
 * A string table under construction: each string is stored once, NUL-terminated, and has a number.
 *
 *	uint32_t number = interner_add(&table, text);
 *	... table.entry[number].offset, in table.text
 *
 * Number 0 is the empty string at offset 0. It is also returned if memory is short, and then
 * table.text.failed is set.
 */
#ifndef CAIRN_BASE_INTERNER_H
#define CAIRN_BASE_INTERNER_H

#include "slot_table.h"

#include "byte_buffer.h"

struct interner_entry {
	uint32_t offset, size;
	uint32_t mark; /* free for use by the table's owner; 0 initially */
};

enum { INTERNER_RECENT = 1024 };

struct interner {
	struct byte_buffer text;
	struct interner_entry *entry;
	uint32_t count;
	size_t room;
	struct slot_table slots;
	struct interner_recent {
		const uint8_t *data;
		size_t size;
		uint32_t number;
	} recent[INTERNER_RECENT];
};

/* Initialize the table. `limit` bounds the size of all strings. Return false if memory is short. */
bool interner_init(struct interner *table, size_t limit);
void interner_finish(struct interner *table);

/*
 * Add a string whose bytes do not move or change while the table is filled, so that repeated
 * strings are recognized by their address.
 */
uint32_t interner_add(struct interner *table, struct cairn_bytes text);

struct cairn_bytes interner_text(const struct interner *table, uint32_t number);

uint32_t interner_add_copy(struct interner *table, struct cairn_bytes text);

#endif
