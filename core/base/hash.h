/* SPDX-License-Identifier: MIT */
/* A hash of a text, eight bytes at a time, for tables in memory; it differs by byte order. */
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
	memcpy(&word, text.data + at, text.size - at);
	hash = (hash ^ word) * mixer;
	return hash ^ hash >> 32;
}

#endif
