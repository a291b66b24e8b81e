/* SPDX-License-Identifier: MIT */
/*
 * Hashes of texts and numbers, for tables in memory.
 *
 * The plain hash is fast, and who knows it can write as many texts with one hash as he likes.  A table
 * that meets them (slot_table.h) changes to a key that is not 0, and with a key it is SipHash, for
 * which nobody can.  Hashes differ by byte order and key, so nothing that is written may depend on one.
 */
#ifndef CAIRN_BASE_HASH_H
#define CAIRN_BASE_HASH_H

#include <cairn.h>

#include <string.h>

static inline uint64_t hash_bytes(struct cairn_bytes text)
{
	const uint64_t mixer = 0x9e3779b97f4a7c15;
	uint64_t hash = text.size * mixer, word = 0;
	size_t at = 0;

	for (; text.size - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, text.data + at, sizeof(word));
		hash = (hash ^ word) * mixer;
		hash ^= hash >> 32;
	}
	word = 0;
	if (at < text.size)
		memcpy(&word, text.data + at, text.size - at);
	hash = (hash ^ word) * mixer;
	return hash ^ hash >> 32;
}

/*
 * The hash of a number for a table at this address.  Nobody outside the process knows the address, so
 * nobody can choose numbers that meet.  All bits depend on the number.
 */
static inline uint64_t hash_number(uint64_t number, const void *table)
{
	uint64_t hash = (number ^ (uint64_t)(uintptr_t)table) * 0xff51afd7ed558ccd;

	hash = (hash ^ hash >> 32) * 0xc4ceb9fe1a85ec53;
	return hash ^ hash >> 29;
}

/* SipHash-1-3 of the bytes, with a key of 64 bits. */
uint64_t hash_siphash(struct cairn_bytes text, uint64_t key);

/* The hash of a text for a table with this key; 0: the plain one. */
static inline uint64_t hash_text(struct cairn_bytes text, uint64_t key)
{
	return key ? hash_siphash(text, key) : hash_bytes(text);
}

#endif
