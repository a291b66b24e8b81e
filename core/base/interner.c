/* SPDX-License-Identifier: MIT */
/* Adds strings to a string table through a hash table, so that each string is stored once. */
#include "interner.h"

#include "hash.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_FIRST = 1024, FIRST_CAPACITY = 512 };

static const uint64_t mixer = 0x9e3779b97f4a7c15;

bool interner_init(struct interner *t, size_t limit)
{
	memset(t, 0, sizeof(*t));
	t->text.limit = limit < UINT32_MAX ? limit : UINT32_MAX;
	t->slots = SLOTS_FIRST;
	t->room = FIRST_CAPACITY;
	t->slot = calloc(t->slots, sizeof(*t->slot));
	t->entry = calloc(t->room, sizeof(*t->entry));
	byte_buffer_u8(&t->text, 0);
	t->count = 1;
	return t->slot && t->entry && !t->text.failed;
}

void interner_finish(struct interner *t)
{
	byte_buffer_finish(&t->text);
	free(t->entry);
	free(t->slot);
	t->entry = NULL;
	t->slot = NULL;
}

/* The slot of the text, or the free one where it would be. */
static uint32_t *find_intern_slot(const struct interner *t, uint32_t *slot, size_t slots,
                                  struct cairn_bytes text)
{
	size_t i = hash_bytes(text) & (slots - 1);

	for (; slot[i]; i = (i + 1) & (slots - 1)) {
		const struct interner_entry *e = &t->entry[slot[i]];
		if (e->size == text.size &&
		    memcmp(t->text.data + e->offset, text.data, text.size) == 0)
			break;
	}
	return &slot[i];
}

static bool more_slots(struct interner *t)
{
	size_t slots = 2 * t->slots;
	uint32_t *slot = calloc(slots, sizeof(*slot));

	if (!slot)
		return false;
	for (uint32_t i = 1; i < t->count; i++) {
		const struct interner_entry *e = &t->entry[i];
		*find_intern_slot(t, slot, slots,
		                  (struct cairn_bytes){ t->text.data + e->offset, e->size }) = i;
	}
	free(t->slot);
	t->slot = slot;
	t->slots = slots;
	return true;
}

static bool more_entries(struct interner *t)
{
	struct interner_entry *entry = realloc(t->entry, 2 * t->room * sizeof(*entry));

	if (!entry)
		return false;
	t->entry = entry;
	t->room *= 2;
	return true;
}

/* A new text, in the free slot. */
static uint32_t add_intern_entry(struct interner *t, struct cairn_bytes text)
{
	if ((t->count == t->room && !more_entries(t)) ||
	    (2 * (size_t)t->count > t->slots && !more_slots(t))) {
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
	*find_intern_slot(t, t->slot, t->slots, kept) = t->count;
	return t->count++;
}

uint32_t interner_add_copy(struct interner *t, struct cairn_bytes text)
{
	if (text.size == 0 || t->text.failed)
		return 0;
	uint32_t number = *find_intern_slot(t, t->slot, t->slots, text);
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
