/* SPDX-License-Identifier: MIT */
/* Copies each distinct string once into blocks that never move. */
#include "string_store.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 1 << 16 };

struct string_store_block {
	struct string_store_block *next;
	size_t used, size;
	uint8_t bytes[];
};

static const uint8_t nothing[1];

static uint64_t hash_stored_text(const void *texts, uint32_t number)
{
	const struct string_store *store = texts;

	return hash_text(store->text[number - 1], store->slots.key);
}

static bool is_stored_text(const void *texts, uint32_t number, const void *key)
{
	const struct cairn_bytes own = ((const struct string_store *)texts)->text[number - 1];
	const struct cairn_bytes *text = key;

	return own.size == text->size && memcmp(own.data, text->data, own.size) == 0;
}

static bool reserve_text(struct string_store *texts)
{
	size_t capacity = texts->capacity, slots = texts->slots.slots;

	if (!array_grow(&texts->text, &texts->capacity, texts->count + 1, sizeof(*texts->text)) ||
	    !slot_table_reserve(&texts->slots, texts->count, hash_stored_text, texts))
		return false;
	return budget_memory(texts->budget,
	                     (texts->capacity - capacity) * sizeof(*texts->text) +
	                             (texts->slots.slots - slots) * sizeof(*texts->slots.slot));
}

/* Return space for `size` bytes in the newest block, without marking it as used yet. */
static uint8_t *reserve_text_bytes(struct string_store *texts, size_t size)
{
	struct string_store_block *block = texts->blocks;

	if (block && size <= block->size - block->used)
		return block->bytes + block->used;
	size_t capacity = size > BLOCK_SIZE ? size : BLOCK_SIZE;
	if (!budget_memory(texts->budget, sizeof(*block) + capacity))
		return NULL;
	block = malloc(sizeof(*block) + capacity);
	if (!block)
		return NULL;
	*block = (struct string_store_block){ .next = texts->blocks, .size = capacity };
	texts->blocks = block;
	return block->bytes;
}

bool string_store_add(struct string_store *texts, const struct cairn_bytes *parts, size_t count,
                      struct cairn_bytes *kept)
{
	struct cairn_bytes text = { nothing, 0 };
	size_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += parts[i].size;
	if (size == 0) {
		*kept = text;
		return true;
	}
	if (!budget_text(texts->budget, size))
		return false;
	uint8_t *at = reserve_text_bytes(texts, size);
	if (!at || !reserve_text(texts))
		return false;
	text = (struct cairn_bytes){ at, size };
	for (size_t i = 0; i < count; i++) {
		memcpy(at, parts[i].data, parts[i].size);
		at += parts[i].size;
	}
	uint32_t *slot = slot_table_find(&texts->slots, hash_text(text, texts->slots.key),
	                                 is_stored_text, texts, &text);
	if (*slot == 0) {
		texts->text[texts->count++] = text;
		*slot = (uint32_t)texts->count;
		texts->blocks->used += size;
	}
	*kept = texts->text[*slot - 1];
	return true;
}

void string_store_finish(struct string_store *texts)
{
	while (texts->blocks) {
		struct string_store_block *next = texts->blocks->next;
		free(texts->blocks);
		texts->blocks = next;
	}
	free(texts->text);
	slot_table_finish(&texts->slots);
	*texts = (struct string_store){ .blocks = NULL };
}
