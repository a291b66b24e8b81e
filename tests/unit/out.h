/* SPDX-License-Identifier: MIT */
/* Bytes out, for inputs that tests make by hand: numbers of any width in either order. */
#ifndef CAIRN_TESTS_OUT_H
#define CAIRN_TESTS_OUT_H

#include <cairn.h>

#include <assert.h>
#include <string.h>

enum { OUT_MAX = 1 << 16 };

struct out {
	uint8_t data[OUT_MAX];
	size_t size;
	bool big;
};

/* Overwrite `width` bytes at `at`. */
static inline void out_poke(struct out *o, size_t at, uint64_t value, size_t width)
{
	assert(at + width <= OUT_MAX);
	for (size_t i = 0; i < width; i++)
		o->data[at + i] = (uint8_t)(value >> 8 * (o->big ? width - 1 - i : i));
}

static inline void out_put(struct out *o, uint64_t value, size_t width)
{
	out_poke(o, o->size, value, width);
	o->size += width;
}

static inline void out_text(struct out *o, const char *text, size_t size)
{
	assert(size <= OUT_MAX - o->size);
	if (size > 0) /* of nothing, text may be NULL */
		memcpy(o->data + o->size, text, size);
	o->size += size;
}

static inline void out_pad(struct out *o, size_t alignment)
{
	while (o->size % alignment)
		out_put(o, 0, 1);
}

static inline struct cairn_bytes out_bytes(const struct out *o)
{
	return (struct cairn_bytes){ o->data, o->size };
}

#endif
