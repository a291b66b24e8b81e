/* SPDX-License-Identifier: MIT */
/* Computes the CRC-32 of a file eight bytes at a time. */
#include "crc32.h"

#include "base/bytes.h"

enum { TABLES = 8, BITS = 8, POLYNOMIAL_LOW = 0x8320, POLYNOMIAL_HIGH = 0xedb8 };

/* table[k][b]: the checksum of byte b followed by k zero bytes. */
struct crc32_tables {
	uint32_t table[TABLES][256];
};

static void fill_crc32_tables(struct crc32_tables *t)
{
	uint32_t polynomial = (uint32_t)POLYNOMIAL_HIGH << 16 | POLYNOMIAL_LOW;

	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t sum = byte;
		for (int bit = 0; bit < BITS; bit++)
			sum = sum >> 1 ^ (sum & 1 ? polynomial : 0);
		t->table[0][byte] = sum;
	}
	for (uint32_t byte = 0; byte < 256; byte++)
		for (int k = 1; k < TABLES; k++) {
			uint32_t before = t->table[k - 1][byte];
			t->table[k][byte] = before >> 8 ^ t->table[0][before & 0xff];
		}
}

/* Eight bytes at once, for files of symbols are large. */
uint32_t crc32_of(struct cairn_bytes bytes)
{
	struct crc32_tables t;
	uint32_t sum = ~(uint32_t)0;
	const uint8_t *p = bytes.data;
	size_t left = bytes.size;

	fill_crc32_tables(&t);
	for (; left >= TABLES; p += TABLES, left -= TABLES) {
		uint32_t low = bytes_u32(p, false) ^ sum, high = bytes_u32(p + 4, false);
		sum = t.table[7][low & 0xff] ^ t.table[6][low >> 8 & 0xff] ^
		      t.table[5][low >> 16 & 0xff] ^ t.table[4][low >> 24] ^
		      t.table[3][high & 0xff] ^ t.table[2][high >> 8 & 0xff] ^
		      t.table[1][high >> 16 & 0xff] ^ t.table[0][high >> 24];
	}
	for (; left > 0; p++, left--)
		sum = sum >> 8 ^ t.table[0][(sum ^ *p) & 0xff];
	return ~sum;
}
