/* SPDX-License-Identifier: MIT */
/*
 * Implements SHA-256, and SipHash-1-3 (by Aumasson and Bernstein), the keyed hash for tables whose
 * items were crafted to collide.
 */
#include "hash.h"
#include "bytes.h"

#include <string.h>

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

enum { ROUNDS = 64, LENGTH_AT = 56 };

/* first 32 fractional bits of the cube roots of the first 64 primes */
static const uint32_t constants[ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate_right(uint32_t x, unsigned by)
{
	return x >> by | x << (32 - by);
}

static void expand_schedule(const uint8_t *block, uint32_t w[ROUNDS])
{
	for (unsigned i = 0; i < 16; i++)
		w[i] = bytes_u32(block + 4 * (size_t)i, true);
	for (unsigned i = 16; i < ROUNDS; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];
		uint32_t s0 = rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3;
		uint32_t s1 = rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10;
		w[i] = w[i - 16] + s0 + w[i - 7] + s1;
	}
}

/* Run one round. The caller rotates the arguments instead of moving the eight words. */
static inline void run_round(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e,
                             uint32_t f, uint32_t g, uint32_t *h, uint32_t word)
{
	const uint32_t s1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
	const uint32_t s0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
	const uint32_t choice = g ^ (e & (f ^ g)), majority = (a & b) | (c & (a | b));
	const uint32_t sum = *h + s1 + choice + word;

	*d += sum;
	*h = sum + s0 + majority;
}

static void compress_block(uint32_t state[8], const uint8_t *block)
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5],
		 g = state[6], h = state[7], w[ROUNDS];

	expand_schedule(block, w);
	for (unsigned i = 0; i < ROUNDS; i += 8) {
		run_round(a, b, c, &d, e, f, g, &h, constants[i] + w[i]);
		run_round(h, a, b, &c, d, e, f, &g, constants[i + 1] + w[i + 1]);
		run_round(g, h, a, &b, c, d, e, &f, constants[i + 2] + w[i + 2]);
		run_round(f, g, h, &a, b, c, d, &e, constants[i + 3] + w[i + 3]);
		run_round(e, f, g, &h, a, b, c, &d, constants[i + 4] + w[i + 4]);
		run_round(d, e, f, &g, h, a, b, &c, constants[i + 5] + w[i + 5]);
		run_round(c, d, e, &f, g, h, a, &b, constants[i + 6] + w[i + 6]);
		run_round(b, c, d, &e, f, g, h, &a, constants[i + 7] + w[i + 7]);
	}
	const uint32_t added[8] = { a, b, c, d, e, f, g, h };
	for (unsigned i = 0; i < 8; i++)
		state[i] += added[i];
}

struct sha256 sha256_open(void)
{
	return (struct sha256){
		/* first 32 fractional bits of the square roots of the first 8 primes */
		.state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
		           0x1f83d9ab, 0x5be0cd19 },
	};
}

void sha256_put(struct sha256 *hash, struct cairn_bytes bytes)
{
	size_t held = (size_t)(hash->size % SHA256_BLOCK);

	hash->size += bytes.size;
	while (bytes.size > 0) {
		if (held == 0 && bytes.size >= SHA256_BLOCK) {
			compress_block(hash->state, bytes.data);
			bytes.data += SHA256_BLOCK;
			bytes.size -= SHA256_BLOCK;
			continue;
		}
		size_t part = SHA256_BLOCK - held;
		if (part > bytes.size)
			part = bytes.size;
		memcpy(hash->block + held, bytes.data, part);
		bytes.data += part;
		bytes.size -= part;
		held += part;
		if (held == SHA256_BLOCK) {
			compress_block(hash->state, hash->block);
			held = 0;
		}
	}
}

static void store_big_endian(uint8_t *to, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> (8 * (size - 1 - i)));
}

void sha256_finish(struct sha256 *hash, uint8_t digest[SHA256_SIZE])
{
	static const uint8_t end[SHA256_BLOCK] = { 0x80 };
	uint64_t bits = hash->size * 8;
	size_t held = (size_t)(hash->size % SHA256_BLOCK);
	size_t padding = (held < LENGTH_AT ? LENGTH_AT : LENGTH_AT + SHA256_BLOCK) - held;
	uint8_t length[8];

	store_big_endian(length, bits, 8);
	sha256_put(hash, (struct cairn_bytes){ end, padding });
	sha256_put(hash, (struct cairn_bytes){ length, sizeof(length) });
	for (size_t i = 0; i < 8; i++)
		store_big_endian(digest + 4 * i, hash->state[i], 4);
}
