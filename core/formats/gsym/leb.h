/* SPDX-License-Identifier: MIT */
/*
 * Inline LEB128 decoders for line tables and inline trees, where lookups spend nearly all of their
 * time. Most numbers there have one or two bytes. The decoders return a pointer past the number, or
 * NULL if it is truncated or too large; leb_fault() distinguishes the two.
 */
#ifndef CAIRN_FORMATS_GSYM_LEB_H
#define CAIRN_FORMATS_GSYM_LEB_H

#include "base/reader.h"

/* Force inlining: the loops are fast only if their state stays in registers. */
#if defined(__GNUC__)
#define LEB_INLINE static inline __attribute__((always_inline))
#else
#define LEB_INLINE static inline
#endif

const uint8_t *leb_unsigned_long(const uint8_t *p, const uint8_t *end, uint64_t *value);
const uint8_t *leb_signed_long(const uint8_t *p, const uint8_t *end, int64_t *value);

/*
 * Return the reason why the LEB128 number at `p` cannot be read. fault.offset is relative to `p`.
 */
struct cairn_fault leb_fault(const uint8_t *p, const uint8_t *end, bool is_signed);

LEB_INLINE const uint8_t *leb_unsigned(const uint8_t *p, const uint8_t *end, uint64_t *value)
{
	if (p < end && p[0] < 0x80) {
		*value = p[0];
		return p + 1;
	}
	if (end - p >= 2 && p[1] < 0x80) {
		*value = (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
		return p + 2;
	}
	uint64_t wide;
	const uint8_t *next = leb_unsigned_long(p, end, &wide);
	if (next)
		*value = wide;
	return next;
}

LEB_INLINE const uint8_t *leb_signed(const uint8_t *p, const uint8_t *end, int64_t *value)
{
	if (p < end && p[0] < 0x80) {
		*value = (int64_t)(p[0] ^ 0x40) - 0x40;
		return p + 1;
	}
	if (end - p >= 2 && p[1] < 0x80) {
		uint32_t bits = (uint32_t)(p[0] & 0x7f) | (uint32_t)p[1] << 7;
		*value = (int64_t)(bits ^ 0x2000) - 0x2000;
		return p + 2;
	}
	int64_t wide;
	const uint8_t *next = leb_signed_long(p, end, &wide);
	if (next)
		*value = wide;
	return next;
}

#endif
