/* SPDX-License-Identifier: MIT */
/* The table of functions that were given, by their ranges and names. */
#include "given_functions.h"

#include "base/array_grow.h"
#include "base/bytes_compare.h"
#include "base/hash.h"
#include "base/table/slot_table.h"

#include <pthread.h>
#include <stdlib.h>

struct given_functions {
	pthread_mutex_t lock;
	struct slot_table slots;
	struct given_function *function;
	size_t count, room;
};

struct given_functions *given_functions_new(void)
{
	struct given_functions *given = calloc(1, sizeof(*given));

	if (given)
		pthread_mutex_init(&given->lock, NULL);
	return given;
}

void given_functions_free(struct given_functions *given)
{
	if (!given)
		return;
	pthread_mutex_destroy(&given->lock);
	slot_table_finish(&given->slots);
	free(given->function);
	free(given);
}

/* Where code is says nearly all; names count only where many functions are made to begin at one place. */
static uint64_t hash_function(const struct given_functions *given,
                              const struct given_function *function)
{
	const struct cairn_range range = function->range;
	uint64_t number = range.low ^ (range.high - range.low) << 32;

	if (given->slots.key)
		number ^= hash_text(function->name, given->slots.key);
	return hash_number(number, given);
}

static uint64_t hash_numbered(const void *table, uint32_t number)
{
	const struct given_functions *given = table;

	return hash_function(given, &given->function[number - 1]);
}

static bool is_same_function(const void *table, uint32_t number, const void *key)
{
	const struct given_function *own =
		&((const struct given_functions *)table)->function[number - 1];
	const struct given_function *other = key;

	return own->range.low == other->range.low && own->range.high == other->range.high &&
	       own->name.size == other->name.size &&
	       (own->name.data == other->name.data || bytes_equal(own->name, other->name));
}

static uint32_t *find_given(struct given_functions *given, const struct given_function *function)
{
	return slot_table_find(&given->slots, hash_function(given, function), is_same_function,
	                       given, function);
}

bool given_functions_has(struct given_functions *given, struct cairn_range range,
                         struct cairn_bytes name, size_t unit)
{
	const struct given_function wanted = { .range = range, .name = name };
	bool has = false;

	pthread_mutex_lock(&given->lock);
	const uint32_t number = given->count > 0 ? *find_given(given, &wanted) : 0;
	if (number > 0)
		has = given->function[number - 1].has_rows &&
		      given->function[number - 1].unit <= unit;
	pthread_mutex_unlock(&given->lock);
	return has;
}

/* Does it stand before the one that was given earlier? */
static bool stands_before(const struct given_function *function,
                          const struct given_function *earlier)
{
	if (function->has_rows != earlier->has_rows)
		return function->has_rows;
	return function->unit < earlier->unit;
}

static bool add_given(struct given_functions *given, const struct given_function *function)
{
	if (!array_grow(&given->function, &given->room, given->count + 1,
	                sizeof(*given->function)) ||
	    !slot_table_reserve(&given->slots, given->count, hash_numbered, given))
		return false;
	uint32_t *slot = find_given(given, function);
	if (*slot == 0) {
		given->function[given->count++] = *function;
		*slot = (uint32_t)given->count;
	} else if (stands_before(function, &given->function[*slot - 1])) {
		given->function[*slot - 1] = *function;
	}
	return true;
}

bool given_functions_add(struct given_functions *given, const struct given_function *function)
{
	pthread_mutex_lock(&given->lock);
	const bool ok = add_given(given, function);
	pthread_mutex_unlock(&given->lock);
	return ok;
}

uint64_t given_functions_lost(const struct given_functions *given)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < given->count; i++)
		sum += given->function[i].lost;
	return sum;
}
