/* SPDX-License-Identifier: MIT */
/*
 * Hashes of strings and numbers, for tables in memory.
 *
 * The plain hash is fast, but input can be crafted so that many strings share one hash. A table
 * that encounters such strings (table.h) switches to a nonzero key, which selects SipHash, where
 * collisions cannot be constructed. Hashes depend on byte order and key, so no output may depend on
 * them.
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
 * Hash a number for the table at address `table`. An attacker does not know that address and
 * therefore cannot choose numbers that collide. All bits of the hash depend on the number.
 */
static inline uint64_t hash_number(uint64_t number, const void *table)
{
	uint64_t hash = (number ^ (uint64_t)(uintptr_t)table) * 0xff51afd7ed558ccd;

	hash = (hash ^ hash >> 32) * 0xc4ceb9fe1a85ec53;
	return hash ^ hash >> 29;
}

uint64_t hash_siphash(struct cairn_bytes text, uint64_t key);

static inline uint64_t hash_text(struct cairn_bytes text, uint64_t key)
{
	return key ? hash_siphash(text, key) : hash_bytes(text);
}

/*
 * SHA-256, after FIPS 180-4, for computing identifiers from a few kilobytes of data. The engine
 * links only the C library, and a hundred lines that are tested with published vectors cost less
 * than a library that a debugger must load. This implementation is slow and must not be used for
 * secrets.
 *
 *	struct sha256 hash = sha256_open();
 *	sha256_put(&hash, bytes);
 *	sha256_finish(&hash, digest);
 */

enum { SHA256_SIZE = 32, SHA256_BLOCK = 64 };

struct sha256 {
	uint32_t state[8];
	uint64_t size;
	uint8_t block[SHA256_BLOCK];
};

struct sha256 sha256_open(void);
void sha256_put(struct sha256 *hash, struct cairn_bytes bytes);
void sha256_finish(struct sha256 *hash, uint8_t digest[SHA256_SIZE]);

#endif
