/* SPDX-License-Identifier: MIT */
/* Grows and rebuilds the hash index of numbered items. */
#include "table.h"
#include "bytes.h"
#include "hash.h"
#include "invariant.h"
#include "memory.h"
#include "utf8.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1 << 8 };
/* maximum number of slots, because item numbers have 32 bits */
static const size_t slots_max = (size_t)1 << 31;

/* Insert all items. They are distinct, so they need not be compared. */
static void enter_items(struct slot_table *table, size_t count,
                        uint64_t (*hash_of)(const void *items, uint32_t number), const void *items)
{
	size_t mask = table->slots - 1;

	INVARIANT(count <= table->slots / 2);
	for (uint32_t number = 1; number <= count; number++) {
		size_t at = (size_t)hash_of(items, number) & mask;
		while (table->slot[at] != 0)
			at = (at + 1) & mask;
		table->slot[at] = number;
	}
}

void slot_table_refill(struct slot_table *table, size_t count,
                       uint64_t (*hash_of)(const void *items, uint32_t number), const void *items)
{
	if (table->slots == 0)
		return;
	memset(table->slot, 0, table->slots * sizeof(*table->slot));
	enter_items(table, count, hash_of, items);
}

/*
 * Choose a key from memory addresses of this process, which are unknown to the author of the input.
 */
static uint64_t choose_key(const struct slot_table *table)
{
	uint64_t heap = (uint64_t)(uintptr_t)table->slot, stack = (uint64_t)(uintptr_t)&table;

	return (heap << 20 ^ stack) | 1;
}

bool slot_table_reserve(struct slot_table *table, size_t count,
                        uint64_t (*hash_of)(const void *items, uint32_t number), const void *items)
{
	if (table->crowded && table->key == 0) {
		table->key = choose_key(table);
		slot_table_refill(table, count, hash_of, items);
	}
	if (count < table->slots / 2)
		return true;
	struct slot_table grown = { .slots = table->slots ? 2 * table->slots : FIRST_SLOTS,
		                    .key = table->key,
		                    .crowded = table->crowded };
	if (grown.slots > slots_max)
		return false;
	grown.slot = table_memory_new(grown.slots, sizeof(*grown.slot));
	if (!grown.slot)
		return false;
	free(table->slot);
	*table = grown;
	enter_items(table, count, hash_of, items);
	return true;
}

void slot_table_finish(struct slot_table *table)
{
	free(table->slot);
	*table = (struct slot_table){ .slot = NULL };
}

enum { FIRST_BITS = 8, BITS_MAX = 31 };

static uint32_t find_mask(const struct number_map *map)
{
	return (uint32_t)((UINT64_C(1) << map->bits) - 1);
}

static uint32_t find_first_slot(const struct number_map *map, uint64_t key)
{
	return (uint32_t)hash_number(key, map->slot) & find_mask(map);
}

static uint32_t find_number_slot(const struct number_map *map, uint64_t key)
{
	uint32_t mask = find_mask(map), at = find_first_slot(map, key);

	while (map->slot[at].key != 0 && map->slot[at].key != key)
		at = (at + 1) & mask;
	return at;
}

static bool map_grow(struct number_map *map)
{
	struct number_map grown = { .bits = map->slot ? map->bits + 1 : FIRST_BITS,
		                    .count = map->count };

	if (grown.bits > BITS_MAX)
		return false;
	grown.slot = table_memory_new((size_t)1 << grown.bits, sizeof(*grown.slot));
	if (!grown.slot)
		return false;
	for (size_t i = 0; map->slot && i < (size_t)1 << map->bits; i++)
		if (map->slot[i].key != 0)
			grown.slot[find_number_slot(&grown, map->slot[i].key)] = map->slot[i];
	free(map->slot);
	*map = grown;
	return true;
}

struct number_slot *number_map_at(struct number_map *map, uint64_t key)
{
	INVARIANT(key != 0); /* 0 marks an unused slot */
	if ((!map->slot || (uint64_t)map->count * 3 >= (uint64_t)2 << map->bits) && !map_grow(map))
		return NULL;
	return &map->slot[find_number_slot(map, key)];
}

void number_map_soon(const struct number_map *map, uint64_t key)
{
	if (map->slot)
		memory_soon(&map->slot[find_first_slot(map, key)], 0);
}

bool number_map_find(const struct number_map *map, uint64_t key, uint32_t *number)
{
	if (!map->slot)
		return false;
	const struct number_slot *slot = &map->slot[find_number_slot(map, key)];
	if (slot->key == 0)
		return false;
	*number = slot->number;
	return true;
}

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
	t->capacity = FIRST_CAPACITY;
	t->entry = calloc(t->capacity, sizeof(*t->entry));
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
	if (!array_grow(&t->entry, &t->capacity, t->count + (size_t)1, sizeof(*t->entry)) ||
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

enum { FIRST_TEXTS = 1 << 10, FIRST_BLOB = 1 << 16 };

uint32_t string_pool_add_utf8(struct string_pool *pool, struct cairn_bytes text)
{
	const size_t capacity = text.size * UTF8_GROWTH;
	uint32_t number = STRING_POOL_FULL;

	if (utf8_is_valid(text))
		return string_pool_add(pool, text);
	uint8_t *memory = malloc(capacity);
	struct sink repaired = sink_open(memory, memory ? capacity : 0);
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
	    !array_grow_from(&pool->at, &pool->capacity, pool->count + 2, sizeof(*pool->at),
	                     FIRST_TEXTS))
		return false;
	if (pool->count == 0)
		pool->at[0] = 0;
	return array_grow_from(&pool->blob, &pool->blob_capacity, pool->blob_size + size + 1, 1,
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

static size_t count_entry_bytes(size_t text_size, size_t made_size)
{
	return sizeof(struct text_cache_entry) + text_size + made_size;
}

static size_t slot_of_text(struct cairn_bytes text)
{
	return (size_t)hash_bytes(text) % TEXT_CACHE_SLOTS;
}

static void drop_entry(struct text_cache *cache, size_t slot)
{
	struct text_cache_entry *entry = cache->slot[slot];

	if (!entry)
		return;
	cache->held -= count_entry_bytes(entry->text_size, entry->made_size);
	free(entry);
	cache->slot[slot] = NULL;
}

void text_cache_finish(struct text_cache *cache)
{
	for (size_t i = 0; i < TEXT_CACHE_SLOTS; i++)
		drop_entry(cache, i);
}

const struct text_cache_entry *text_cache_find(const struct text_cache *cache,
                                               struct cairn_bytes text)
{
	const struct text_cache_entry *entry = cache->slot[slot_of_text(text)];

	if (!entry || entry->text_size != text.size ||
	    (text.size > 0 && memcmp(entry->bytes, text.data, text.size) != 0))
		return NULL;
	return entry;
}

void text_cache_keep(struct text_cache *cache, struct cairn_bytes text, struct cairn_bytes made,
                     uint64_t cost)
{
	const size_t slot = slot_of_text(text);

	if (text.size > TEXT_CACHE_ENTRY || made.size > TEXT_CACHE_ENTRY - text.size)
		return;
	const size_t size = count_entry_bytes(text.size, made.size);
	if (size > TEXT_CACHE_MAX - cache->held)
		text_cache_finish(cache);
	struct text_cache_entry *entry = malloc(size);
	if (!entry)
		return;
	drop_entry(cache, slot);
	*entry = (struct text_cache_entry){ text.size, made.size, cost };
	if (text.size > 0)
		memcpy(entry->bytes, text.data, text.size);
	if (made.size > 0)
		memcpy(entry->bytes + text.size, made.data, made.size);
	cache->held += size;
	cache->slot[slot] = entry;
}
