/* SPDX-License-Identifier: MIT */
/*
 * Reads unaligned integers in either byte order. The caller has checked the bounds; use reader.h
 * for unchecked input.
 */
#ifndef CAIRN_BASE_BYTES_H
#define CAIRN_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint16_t bytes_u16(const uint8_t *p, bool big)
{
	unsigned value = big ? (unsigned)p[0] << 8 | p[1] : (unsigned)p[1] << 8 | p[0];
	return (uint16_t)value;
}

static inline uint32_t bytes_u32(const uint8_t *p, bool big)
{
	uint32_t little = (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
	uint32_t swapped = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	return big ? swapped : little;
}

static inline uint64_t bytes_u64(const uint8_t *p, bool big)
{
	uint64_t first = bytes_u32(p, big);
	uint64_t second = bytes_u32(p + 4, big);
	return big ? first << 32 | second : second << 32 | first;
}

/* Read an integer of 1, 2, 4 or 8 bytes. */
static inline uint64_t bytes_unsigned(const uint8_t *p, size_t size, bool big)
{
	switch (size) {
	case 1:
		return p[0];
	case 2:
		return bytes_u16(p, big);
	case 4:
		return bytes_u32(p, big);
	default:
		return bytes_u64(p, big);
	}
}

static inline int64_t bytes_signed(const uint8_t *p, size_t size, bool big)
{
	switch (size) {
	case 1:
		return (int8_t)p[0];
	case 2:
		return (int16_t)bytes_u16(p, big);
	case 4:
		return (int32_t)bytes_u32(p, big);
	default:
		return (int64_t)bytes_u64(p, big);
	}
}

#endif
