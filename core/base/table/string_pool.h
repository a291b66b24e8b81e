/* SPDX-License-Identifier: MIT */
/*
 * Equal texts once, numbered in the order in which they came.  The bytes are copied, one after the
 * other, into what may go to a file as it is.
 */
#ifndef CAIRN_BASE_TABLE_STRING_POOL_H
#define CAIRN_BASE_TABLE_STRING_POOL_H

#include "slot_table.h"

#include <cairn.h>

struct string_pool {
	uint8_t *blob;
	size_t blob_size, blob_room;
	uint32_t *at; /* where each begins, and one more */
	size_t count, room;
	struct slot_table slots; /* of the texts, each by its number + 1 */
};

#define STRING_POOL_FULL UINT32_MAX

/* The number of a text; STRING_POOL_FULL when memory, or 4 GiB of texts, do not suffice. */
uint32_t string_pool_add(struct string_pool *pool, struct cairn_bytes text);

/* The same of a text in which what is no UTF-8 is replaced. */
uint32_t string_pool_add_utf8(struct string_pool *pool, struct cairn_bytes text);

struct cairn_bytes string_pool_get(const struct string_pool *pool, uint32_t number);
void string_pool_finish(struct string_pool *pool);

#endif
