/* SPDX-License-Identifier: MIT */
/*
 * A hash table of functions by range and name, in parts with a lock each, so that threads rarely
 * wait for each other.
 */
#include "given_functions.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	PARTS_PER_THREAD = 4,
	PARTS_MAX = 64,
	CACHE_LINE = 64,
};

/* Functions whose start addresses hash to this part. */
struct given_part {
	_Alignas(CACHE_LINE) pthread_mutex_t lock;
	struct slot_table slots;
	struct given_function *function;
	size_t count, room;
};

struct given_functions {
	size_t parts;
	struct given_part part[];
};

static size_t count_parts(size_t threads)
{
	size_t parts = 1;

	while (threads > 1 && parts < PARTS_MAX && parts / PARTS_PER_THREAD < threads)
		parts *= 2;
	return parts;
}

struct given_functions *given_functions_new(size_t threads)
{
	const size_t parts = count_parts(threads);
	const size_t size = sizeof(struct given_functions) + parts * sizeof(struct given_part);
	struct given_functions *given = aligned_alloc(CACHE_LINE, size);

	if (!given)
		return NULL;
	memset(given, 0, size);
	given->parts = parts;
	for (size_t i = 0; i < parts; i++)
		pthread_mutex_init(&given->part[i].lock, NULL);
	return given;
}

void given_functions_free(struct given_functions *given)
{
	if (!given)
		return;
	for (size_t i = 0; i < given->parts; i++) {
		struct given_part *part = &given->part[i];
		pthread_mutex_destroy(&part->lock);
		slot_table_finish(&part->slots);
		free(part->function);
	}
	free(given);
}

static struct given_part *find_given_part(struct given_functions *given, struct cairn_range range)
{
	return &given->part[hash_number(range.low, given) >> 32 & (given->parts - 1)];
}

/*
 * The range alone is nearly unique. Names are hashed only if many functions were made to begin at
 * one address, which sets the key.
 */
static uint64_t hash_function(const struct given_part *part, const struct given_function *function)
{
	const struct cairn_range range = function->range;
	uint64_t number = range.low ^ (range.high - range.low) << 32;

	if (part->slots.key)
		number ^= hash_text(function->name, part->slots.key);
	return hash_number(number, part);
}

static uint64_t hash_numbered(const void *table, uint32_t number)
{
	const struct given_part *part = table;

	return hash_function(part, &part->function[number - 1]);
}

static bool is_same_function(const void *table, uint32_t number, const void *key)
{
	const struct given_function *own =
		&((const struct given_part *)table)->function[number - 1];
	const struct given_function *other = key;

	return own->range.low == other->range.low && own->range.high == other->range.high &&
	       own->name.size == other->name.size &&
	       (own->name.data == other->name.data || bytes_equal(own->name, other->name));
}

static uint32_t *find_given(struct given_part *part, const struct given_function *function)
{
	return slot_table_find(&part->slots, hash_function(part, function), is_same_function, part,
	                       function);
}

bool given_functions_has(struct given_functions *given, struct cairn_range range,
                         struct cairn_bytes name, size_t unit)
{
	const struct given_function wanted = { .range = range, .name = name };
	struct given_part *part = find_given_part(given, range);
	bool has = false;

	pthread_mutex_lock(&part->lock);
	const uint32_t number = part->count > 0 ? *find_given(part, &wanted) : 0;
	if (number > 0)
		has = part->function[number - 1].has_rows &&
		      part->function[number - 1].unit <= unit;
	pthread_mutex_unlock(&part->lock);
	return has;
}

/*
 * Return true if the function precedes `earlier` in the order of the writers. A function with rows
 * precedes one without rows.
 */
static bool stands_before(const struct given_function *function,
                          const struct given_function *earlier)
{
	if (function->has_rows != earlier->has_rows)
		return function->has_rows;
	return function->unit < earlier->unit;
}

static bool add_given(struct given_part *part, const struct given_function *function)
{
	if (!array_grow(&part->function, &part->room, part->count + 1, sizeof(*part->function)) ||
	    !slot_table_reserve(&part->slots, part->count, hash_numbered, part))
		return false;
	uint32_t *slot = find_given(part, function);
	if (*slot == 0) {
		part->function[part->count++] = *function;
		*slot = (uint32_t)part->count;
	} else if (stands_before(function, &part->function[*slot - 1])) {
		part->function[*slot - 1] = *function;
	}
	return true;
}

bool given_functions_add(struct given_functions *given, const struct given_function *function)
{
	struct given_part *part = find_given_part(given, function->range);

	pthread_mutex_lock(&part->lock);
	const bool ok = add_given(part, function);
	pthread_mutex_unlock(&part->lock);
	return ok;
}

uint64_t given_functions_lost(const struct given_functions *given)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < given->parts; i++)
		for (size_t j = 0; j < given->part[i].count; j++)
			sum += given->part[i].function[j].lost;
	return sum;
}
