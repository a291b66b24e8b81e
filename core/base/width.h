/* SPDX-License-Identifier: MIT */
/*
 * The number of bytes that a number needs, computed without branches for encoders.
 */
#ifndef CAIRN_BASE_WIDTH_H
#define CAIRN_BASE_WIDTH_H

#include <stdint.h>

/* 1 to 8 bytes for a number without a sign. */
static inline unsigned width_unsigned(uint64_t value)
{
	return 1u + (value >> 8 != 0) + (value >> 16 != 0) + (value >> 24 != 0) +
	       (value >> 32 != 0) + (value >> 40 != 0) + (value >> 48 != 0) + (value >> 56 != 0);
}

/* The same for a signed one: the highest bit of the first byte is its sign. */
static inline unsigned width_signed(uint64_t value)
{
	uint64_t negative = 0 - (value >> 63);
	return width_unsigned((value ^ negative) << 1);
}

/* The low `bytes` bytes (1 to 8) of `value`, as a signed number. */
static inline uint64_t width_extend(uint64_t value, unsigned bytes)
{
	unsigned unused = 64 - 8 * bytes;
	return (uint64_t)((int64_t)(value << unused) >> unused);
}

/* Does an address fit a word of so many bytes? */
static inline int width_fits(uint64_t address, unsigned word)
{
	return word >= 8 || address >> (8 * word) == 0;
}

#endif
