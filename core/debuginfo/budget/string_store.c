/* SPDX-License-Identifier: MIT */
/* Copies each distinct string once into blocks that never move. */
#include "string_store.h"

#include <stdlib.h>
#include <string.h>

enum {
	BLOCK_SIZE = 1 << 16, /* texts that are larger get a block of their own */
	FIRST_SLOTS = 256,
};

struct string_store_block {
	struct string_store_block *next;
	size_t used, size;
	uint8_t bytes[];
};

static const uint8_t nothing[1];

/* FNV-1a. */
static uint64_t hash_text(struct cairn_bytes text)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < text.size; i++)
		hash = (hash ^ text.data[i]) * 0x100000001b3;
	return hash ^ hash >> 32;
}

static struct cairn_bytes *find_text_slot(const struct string_store *texts, struct cairn_bytes text)
{
	size_t at = (size_t)hash_text(text) & (texts->slots - 1);

	while (texts->slot[at].data && (texts->slot[at].size != text.size ||
	                                memcmp(texts->slot[at].data, text.data, text.size) != 0))
		at = (at + 1) & (texts->slots - 1);
	return &texts->slot[at];
}

static bool grow_text_slots(struct string_store *texts)
{
	struct string_store larger = *texts;

	larger.slots = texts->slots ? 2 * texts->slots : FIRST_SLOTS;
	if (!budget_memory(texts->budget, larger.slots * sizeof(*larger.slot)))
		return false;
	larger.slot = calloc(larger.slots, sizeof(*larger.slot));
	if (!larger.slot)
		return false;
	for (size_t i = 0; i < texts->slots; i++)
		if (texts->slot[i].data)
			*find_text_slot(&larger, texts->slot[i]) = texts->slot[i];
	free(texts->slot);
	*texts = larger;
	return true;
}

/* `size` bytes at the end of the newest block, not taken yet. */
static uint8_t *reserve_text_bytes(struct string_store *texts, size_t size)
{
	struct string_store_block *block = texts->blocks;

	if (block && size <= block->size - block->used)
		return block->bytes + block->used;
	size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
	if (!budget_memory(texts->budget, sizeof(*block) + room))
		return NULL;
	block = malloc(sizeof(*block) + room);
	if (!block)
		return NULL;
	*block = (struct string_store_block){ .next = texts->blocks, .size = room };
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
	if (!at || (4 * (texts->count + 1) > 3 * texts->slots && !grow_text_slots(texts)))
		return false;
	text = (struct cairn_bytes){ at, size };
	for (size_t i = 0; i < count; i++) {
		memcpy(at, parts[i].data, parts[i].size);
		at += parts[i].size;
	}
	struct cairn_bytes *slot = find_text_slot(texts, text);
	if (!slot->data) {
		*slot = text;
		texts->count++;
		texts->blocks->used += size;
	}
	*kept = *slot;
	return true;
}

void string_store_finish(struct string_store *texts)
{
	while (texts->blocks) {
		struct string_store_block *next = texts->blocks->next;
		free(texts->blocks);
		texts->blocks = next;
	}
	free(texts->slot);
	*texts = (struct string_store){ .blocks = NULL };
}
