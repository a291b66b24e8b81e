/* SPDX-License-Identifier: MIT */
/*
 * Reads unaligned integers in either byte order, compares byte ranges and splits them. The
 * functions do not check bounds; use reader.h for untrusted input.
 */
#ifndef CAIRN_BASE_BYTES_H
#define CAIRN_BASE_BYTES_H

#include <cairn.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

static inline unsigned width_unsigned(uint64_t value)
{
	return 1u + (value >> 8 != 0) + (value >> 16 != 0) + (value >> 24 != 0) +
	       (value >> 32 != 0) + (value >> 40 != 0) + (value >> 48 != 0) + (value >> 56 != 0);
}

/* Return the number of bytes that a signed number needs, including the sign bit. */
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

/* Return true if the bytes are equal. `data` may be NULL if `size` is 0. */
static inline bool bytes_equal(struct cairn_bytes a, struct cairn_bytes b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool bytes_are(struct cairn_bytes bytes, const char *text)
{
	const size_t size = strlen(text);

	return bytes.size == size && (size == 0 || memcmp(bytes.data, text, size) == 0);
}

static inline bool bytes_begin_with(struct cairn_bytes bytes, const char *text)
{
	const size_t size = strlen(text);

	return bytes.size >= size && (size == 0 || memcmp(bytes.data, text, size) == 0);
}

static inline bool bytes_continue_after(struct cairn_bytes bytes, const char *text)
{
	return bytes_begin_with(bytes, text) && bytes.size > strlen(text);
}

/* Compare lexicographically as unsigned bytes. Return a value below, equal to or above 0. */
static inline int bytes_order(struct cairn_bytes a, struct cairn_bytes b)
{
	const size_t common = a.size < b.size ? a.size : b.size;
	const int order = common > 0 && a.data != b.data ? memcmp(a.data, b.data, common) : 0;

	return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* Return the bytes before the first occurrence of `end`, or all bytes if it does not occur. */
static inline struct cairn_bytes bytes_before(struct cairn_bytes text, int end)
{
	const uint8_t *found = text.size > 0 ? memchr(text.data, end, text.size) : NULL;

	return (struct cairn_bytes){ text.data, found ? (size_t)(found - text.data) : text.size };
}

/*
 * Remove and return the bytes before the first occurrence of `end`, or all bytes if it does not
 * occur. The delimiter is removed, too.
 */
static inline struct cairn_bytes bytes_take_part(struct cairn_bytes *rest, int end)
{
	const struct cairn_bytes part = bytes_before(*rest, end);
	const size_t taken = part.size < rest->size ? part.size + 1 : part.size;

	if (taken > 0) /* adding 0 to NULL is undefined */
		*rest = (struct cairn_bytes){ rest->data + taken, rest->size - taken };
	return part;
}

#define BYTES_WHITE " \t\n\v\f\r"

/*
 * Return `text` without leading characters in `left` and trailing characters in `right`. NUL is
 * never trimmed.
 */
static inline struct cairn_bytes bytes_trim(struct cairn_bytes text, const char *left,
                                            const char *right)
{
	while (text.size > 0 && memchr(left, text.data[0], strlen(left)))
		text = (struct cairn_bytes){ text.data + 1, text.size - 1 };
	while (text.size > 0 && memchr(right, text.data[text.size - 1], strlen(right)))
		text.size--;
	return text;
}

#endif
