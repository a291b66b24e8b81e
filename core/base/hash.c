/* SPDX-License-Identifier: MIT */
/* SipHash-1-3, after Aumasson and Bernstein, for tables whose items were crafted to collide. */
#include "hash.h"

static uint64_t rotate_left(uint64_t value, unsigned bits)
{
	return value << bits | value >> (64 - bits);
}

static void mix_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotate_left(v[1], 13) ^ v[0];
	v[0] = rotate_left(v[0], 32);
	v[2] += v[3];
	v[3] = rotate_left(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate_left(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate_left(v[1], 17) ^ v[2];
	v[2] = rotate_left(v[2], 32);
}

static void mix_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	mix_round(v);
	v[0] ^= word;
}

uint64_t hash_siphash(struct cairn_bytes text, uint64_t key)
{
	uint64_t v[4] = { key ^ 0x736f6d6570736575, ~key ^ 0x646f72616e646f6d,
		          key ^ 0x6c7967656e657261, ~key ^ 0x7465646279746573 };
	uint64_t word = 0;
	size_t at = 0;

	for (; text.size - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, text.data + at, sizeof(word));
		mix_word(v, word);
	}
	word = 0;
	memcpy(&word, text.data + at, text.size - at);
	mix_word(v, word ^ (uint64_t)text.size << 56);
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		mix_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
