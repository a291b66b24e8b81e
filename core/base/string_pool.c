/* SPDX-License-Identifier: MIT */
/* Stores each distinct string once and finds it again by its hash. */
#include "string_pool.h"

#include "hash.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1 << 10, FIRST_BLOB = 1 << 16 };

struct cairn_bytes string_pool_get(const struct string_pool *pool, uint32_t number)
{
	if (number >= pool->count)
		return (struct cairn_bytes){ (const uint8_t *)"", 0 };
	return (struct cairn_bytes){ pool->blob + pool->at[number],
		                     pool->at[number + 1] - pool->at[number] };
}

/* The slot that has this text, or the free one where it belongs. */
static size_t find_text_slot(const struct string_pool *pool, struct cairn_bytes text)
{
	size_t at = (size_t)hash_bytes(text) & (pool->slots - 1);

	for (; pool->slot[at]; at = (at + 1) & (pool->slots - 1)) {
		struct cairn_bytes other = string_pool_get(pool, pool->slot[at] - 1);
		if (other.size == text.size && memcmp(other.data, text.data, text.size) == 0)
			break;
	}
	return at;
}

static bool grow_slots(struct string_pool *pool)
{
	size_t slots = pool->slots ? pool->slots * 2 : FIRST_SLOTS;
	uint32_t *slot = calloc(slots, sizeof(*slot));

	if (!slot)
		return false;
	free(pool->slot);
	pool->slot = slot;
	pool->slots = slots;
	for (uint32_t i = 0; i < pool->count; i++)
		pool->slot[find_text_slot(pool, string_pool_get(pool, i))] = i + 1;
	return true;
}

static bool grow_texts(struct string_pool *pool)
{
	size_t room = pool->room ? pool->room * 2 : FIRST_SLOTS;
	uint32_t *at = realloc(pool->at, (room + 1) * sizeof(*at));

	if (!at)
		return false;
	at[0] = 0;
	pool->at = at;
	pool->room = room;
	return true;
}

static bool grow_blob(struct string_pool *pool, size_t size)
{
	size_t room = pool->blob_room ? pool->blob_room : FIRST_BLOB;

	if (size > UINT32_MAX - pool->blob_size)
		return false;
	while (room - pool->blob_size < size)
		room *= 2;
	if (room == pool->blob_room)
		return true;
	uint8_t *blob = realloc(pool->blob, room);
	if (!blob)
		return false;
	pool->blob = blob;
	pool->blob_room = room;
	return true;
}

static bool reserve_text(struct string_pool *pool, size_t size)
{
	return (pool->count < pool->slots / 2 || grow_slots(pool)) &&
	       (pool->count < pool->room || grow_texts(pool)) && grow_blob(pool, size);
}

uint32_t string_pool_add(struct string_pool *pool, struct cairn_bytes text)
{
	if (!reserve_text(pool, text.size))
		return STRING_POOL_FULL;
	size_t slot = find_text_slot(pool, text);
	if (pool->slot[slot])
		return pool->slot[slot] - 1;
	if (text.size)
		memcpy(pool->blob + pool->blob_size, text.data, text.size);
	pool->blob_size += text.size;
	pool->at[++pool->count] = (uint32_t)pool->blob_size;
	pool->slot[slot] = (uint32_t)pool->count;
	return (uint32_t)pool->count - 1;
}

void string_pool_finish(struct string_pool *pool)
{
	free(pool->blob);
	free(pool->at);
	free(pool->slot);
	*pool = (struct string_pool){ .count = 0 };
}
