/* SPDX-License-Identifier: MIT */
/* Stores each distinct string once and finds it again by its hash. */
#include "string_pool.h"

#include "array_grow.h"
#include "bytes_compare.h"
#include "hash.h"
#include "utf8.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_TEXTS = 1 << 10, FIRST_BLOB = 1 << 16 };

uint32_t string_pool_add_utf8(struct string_pool *pool, struct cairn_bytes text)
{
	const size_t room = text.size * UTF8_GROWTH;
	uint32_t number = STRING_POOL_FULL;

	if (utf8_is_valid(text))
		return string_pool_add(pool, text);
	uint8_t *memory = malloc(room);
	struct sink repaired = sink_open(memory, memory ? room : 0);
	utf8_put_repaired(&repaired, text);
	if (memory)
		number = string_pool_add(pool, (struct cairn_bytes){ memory, repaired.size });
	free(memory);
	return number;
}

struct cairn_bytes string_pool_get(const struct string_pool *pool, uint32_t number)
{
	if (number >= pool->count)
		return (struct cairn_bytes){ (const uint8_t *)"", 0 };
	return (struct cairn_bytes){ pool->blob + pool->at[number],
		                     pool->at[number + 1] - pool->at[number] };
}

static uint64_t hash_pool_text(const void *pool, uint32_t number)
{
	return hash_text(string_pool_get(pool, number - 1),
	                 ((const struct string_pool *)pool)->slots.key);
}

static bool has_pool_text(const void *pool, uint32_t number, const void *key)
{
	const struct cairn_bytes *text = key;

	return bytes_equal(string_pool_get(pool, number - 1), *text);
}

/*
 * Reserve memory for a string and its offsets. One extra byte ensures that an empty string has a
 * valid address.
 */
static bool reserve_text(struct string_pool *pool, size_t size)
{
	if (size >= UINT32_MAX - pool->blob_size ||
	    !slot_table_reserve(&pool->slots, pool->count, hash_pool_text, pool) ||
	    !array_grow_from(&pool->at, &pool->room, pool->count + 2, sizeof(*pool->at),
	                     FIRST_TEXTS))
		return false;
	if (pool->count == 0)
		pool->at[0] = 0;
	return array_grow_from(&pool->blob, &pool->blob_room, pool->blob_size + size + 1, 1,
	                       FIRST_BLOB);
}

uint32_t string_pool_add(struct string_pool *pool, struct cairn_bytes text)
{
	if (!reserve_text(pool, text.size))
		return STRING_POOL_FULL;
	uint32_t *slot = slot_table_find(&pool->slots, hash_text(text, pool->slots.key),
	                                 has_pool_text, pool, &text);
	if (*slot)
		return *slot - 1;
	if (text.size)
		memcpy(pool->blob + pool->blob_size, text.data, text.size);
	pool->blob_size += text.size;
	pool->at[++pool->count] = (uint32_t)pool->blob_size;
	*slot = (uint32_t)pool->count;
	return (uint32_t)pool->count - 1;
}

void string_pool_finish(struct string_pool *pool)
{
	free(pool->blob);
	free(pool->at);
	slot_table_finish(&pool->slots);
	*pool = (struct string_pool){ .count = 0 };
}
