/* SPDX-License-Identifier: MIT */
/* Adds strings to a string table through a hash table, so that each string is stored once. */
#include "interner.h"

#include "array_grow.h"
#include "bytes_compare.h"
#include "hash.h"
#include "invariant.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 512 };

static const uint64_t mixer = 0x9e3779b97f4a7c15;

struct cairn_bytes interner_text(const struct interner *t, uint32_t number)
{
	INVARIANT(number < t->count);
	const struct interner_entry *e = &t->entry[number];

	return (struct cairn_bytes){ t->text.data + e->offset, e->size };
}

static uint64_t hash_entry(const void *interner, uint32_t number)
{
	return hash_text(interner_text(interner, number),
	                 ((const struct interner *)interner)->slots.key);
}

static bool has_entry_text(const void *interner, uint32_t number, const void *key)
{
	const struct cairn_bytes *text = key;

	return bytes_equal(interner_text(interner, number), *text);
}

static uint32_t *find_intern_slot(struct interner *t, struct cairn_bytes text)
{
	return slot_table_find(&t->slots, hash_text(text, t->slots.key), has_entry_text, t, &text);
}

bool interner_init(struct interner *t, size_t limit)
{
	memset(t, 0, sizeof(*t));
	t->text.limit = limit < UINT32_MAX ? limit : UINT32_MAX;
	t->room = FIRST_CAPACITY;
	t->entry = calloc(t->room, sizeof(*t->entry));
	byte_buffer_u8(&t->text, 0);
	t->count = 1;
	return t->entry && !t->text.failed && slot_table_reserve(&t->slots, 0, hash_entry, t);
}

void interner_finish(struct interner *t)
{
	byte_buffer_finish(&t->text);
	free(t->entry);
	slot_table_finish(&t->slots);
	t->entry = NULL;
}

static uint32_t add_intern_entry(struct interner *t, struct cairn_bytes text)
{
	if (!array_grow(&t->entry, &t->room, t->count + (size_t)1, sizeof(*t->entry)) ||
	    !slot_table_reserve(&t->slots, t->count - 1, hash_entry, t)) {
		t->text.failed = true;
		return 0;
	}
	size_t offset = t->text.size;
	byte_buffer_bytes(&t->text, text.data, text.size);
	byte_buffer_u8(&t->text, 0);
	if (t->text.failed)
		return 0;
	struct cairn_bytes kept = { t->text.data + offset, text.size };
	t->entry[t->count] = (struct interner_entry){ (uint32_t)offset, (uint32_t)text.size, 0 };
	*find_intern_slot(t, kept) = t->count;
	return t->count++;
}

uint32_t interner_add_copy(struct interner *t, struct cairn_bytes text)
{
	if (text.size == 0 || t->text.failed)
		return 0;
	uint32_t number = *find_intern_slot(t, text);
	return number ? number : add_intern_entry(t, text);
}

uint32_t interner_add(struct interner *t, struct cairn_bytes text)
{
	uint64_t key = (uint64_t)(uintptr_t)text.data * mixer;
	struct interner_recent *recent = &t->recent[key >> 54];

	if (recent->size != text.size || recent->data != text.data)
		*recent = (struct interner_recent){ text.data, text.size,
			                            interner_add_copy(t, text) };
	return recent->number;
}
