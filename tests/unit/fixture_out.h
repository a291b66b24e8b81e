/* SPDX-License-Identifier: MIT */
/* Bytes out, for inputs that tests make by hand: numbers of any width in either order. */
#ifndef CAIRN_TESTS_UNIT_FIXTURE_OUT_H
#define CAIRN_TESTS_UNIT_FIXTURE_OUT_H

#include <cairn.h>

#include <assert.h>
#include <string.h>

enum { FIXTURE_OUT_MAX = 1 << 16 };

struct fixture_out {
	uint8_t data[FIXTURE_OUT_MAX];
	size_t size;
	bool big;
};

/* Overwrite `width` bytes at `at`; those past the eighth are zero. */
static inline void fixture_out_poke(struct fixture_out *o, size_t at, uint64_t value, size_t width)
{
	assert(at + width <= FIXTURE_OUT_MAX);
	for (size_t i = 0; i < width; i++) {
		const size_t byte = o->big ? width - 1 - i : i;
		o->data[at + i] = (uint8_t)(byte < sizeof(value) ? value >> 8 * byte : 0);
	}
}

static inline void fixture_out_put(struct fixture_out *o, uint64_t value, size_t width)
{
	fixture_out_poke(o, o->size, value, width);
	o->size += width;
}

static inline void fixture_out_text(struct fixture_out *o, const char *text, size_t size)
{
	assert(size <= FIXTURE_OUT_MAX - o->size);
	if (size > 0) /* of nothing, text may be NULL */
		memcpy(o->data + o->size, text, size);
	o->size += size;
}

static inline void fixture_out_pad(struct fixture_out *o, size_t alignment)
{
	while (o->size % alignment)
		fixture_out_put(o, 0, 1);
}

static inline struct cairn_bytes fixture_out_bytes(const struct fixture_out *o)
{
	return (struct cairn_bytes){ o->data, o->size };
}

#endif
