/* SPDX-License-Identifier: MIT */
/*
 * Stores distinct strings once and numbers them in insertion order. The bytes are stored
 * contiguously, ready to be written to a file.
 */
#ifndef CAIRN_BASE_STRING_POOL_H
#define CAIRN_BASE_STRING_POOL_H

#include "slot_table.h"

#include <cairn.h>

struct string_pool {
	uint8_t *blob;
	size_t blob_size, blob_room;
	uint32_t *at; /* start offsets, and one more for the end of the last string */
	size_t count, room;
	struct slot_table slots; /* index of the strings; values are number + 1 */
};

#define STRING_POOL_FULL UINT32_MAX

/*
 * Add a string and return its number, or STRING_POOL_FULL if memory or 4 GiB of strings do not
 * suffice.
 */
uint32_t string_pool_add(struct string_pool *pool, struct cairn_bytes text);

uint32_t string_pool_add_utf8(struct string_pool *pool, struct cairn_bytes text);

struct cairn_bytes string_pool_get(const struct string_pool *pool, uint32_t number);
void string_pool_finish(struct string_pool *pool);

#endif
