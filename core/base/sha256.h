/* SPDX-License-Identifier: MIT */
/*
 * SHA-256, after FIPS 180-4, for identities of a few kilobytes. The engine links only the C
 * library, and a hundred lines checked against published vectors cost less than a library that a
 * debugger must load. Not for secrets, and not fast.
 *
 *	struct sha256 hash = sha256_open();
 *	sha256_put(&hash, bytes);
 *	sha256_finish(&hash, digest);
 */
#ifndef CAIRN_BASE_SHA256_H
#define CAIRN_BASE_SHA256_H

#include <cairn.h>

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
