/* SPDX-License-Identifier: MIT */
/* Computes the number of bytes that a number needs, without branches, for encoders. */
#ifndef CAIRN_BASE_WIDTH_H
#define CAIRN_BASE_WIDTH_H

#include <stdint.h>

static inline unsigned width_unsigned(uint64_t value)
{
	return 1u + (value >> 8 != 0) + (value >> 16 != 0) + (value >> 24 != 0) +
	       (value >> 32 != 0) + (value >> 40 != 0) + (value >> 48 != 0) + (value >> 56 != 0);
}

/* Return the number of bytes of a signed number, including its sign bit. */
static inline unsigned width_signed(uint64_t value)
{
	uint64_t negative = 0 - (value >> 63);
	return width_unsigned((value ^ negative) << 1);
}

/* Sign-extend the low `bytes` bytes (1 to 8) of `value`. */
static inline uint64_t width_extend(uint64_t value, unsigned bytes)
{
	unsigned unused = 64 - 8 * bytes;
	return (uint64_t)((int64_t)(value << unused) >> unused);
}

static inline int width_fits(uint64_t address, unsigned word)
{
	return word >= 8 || address >> (8 * word) == 0;
}

#endif
