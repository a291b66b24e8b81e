/* SPDX-License-Identifier: MIT */
/* Lies in the headers of compressed sections, of a sound ELF file of 64 bits in little-endian order; Go programs. */
#include "shape.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	FILE_MAX = 16 << 20,
	SECTION = 64,
	COMPRESSED = 0x800,
	FLAGS_AT = 8,
	OFFSET_AT = 24,
	SIZE_AT = 32,
	CHDR = 24,
	CH_SIZE = 8,
	CH_ALIGN = 16,
};

static uint64_t get(const struct shape *s, size_t at, size_t width)
{
	uint64_t value = 0;

	for (size_t i = 0; i < width && at + i < s->size; i++)
		value |= (uint64_t)s->data[at + i] << 8 * i;
	return value;
}

static void read_all(struct shape *s)
{
	FILE *file = fopen(s->path, "rb");

	s->data = malloc(FILE_MAX);
	if (!file || !s->data)
		exit(2);
	s->capacity = FILE_MAX;
	s->size = fread(s->data, 1, FILE_MAX, file);
	fclose(file);
}

/* One field of the header that begins at `at`, of a section whose own header is at `section`. */
static void lie_once(struct shape *s, size_t section, size_t at)
{
	const uint64_t size = get(s, at + CH_SIZE, 8);

	switch (shape_draw(s, 8)) {
	case 0:
		shape_set(s, at, shape_draw(s, 4), 4); /* none, zlib, zstd, none */
		break;
	case 1:
		shape_set(s, at, shape_draw_lie(s, 2), 4);
		break;
	case 2:
		shape_set(s, at + CH_SIZE, shape_draw_lie(s, size), 8);
		break;
	case 3:
		shape_set(s, at + CH_SIZE, size << shape_draw(s, 24), 8);
		break;
	case 4:
		shape_set(s, at + CH_ALIGN, shape_draw_lie(s, 8), 8);
		break;
	case 5:
		shape_set(s, section + SIZE_AT, shape_draw(s, CHDR + 8), 8);
		break;
	case 6: /* bytes that do not unpack, or to something else */
		shape_set(s, at + CHDR + (size_t)shape_draw(s, 16), shape_draw(s, 256), 1);
		break;
	default:
		shape_set(s, at + CH_SIZE, size / 2 + shape_draw(s, 3), 8);
		break;
	}
}

void shape_chdr(struct shape *s)
{
	read_all(s);
	const size_t table = (size_t)get(s, 40, 8), count = (size_t)get(s, 60, 2);

	for (size_t i = 0; i < count && table + (i + 1) * SECTION <= s->size; i++) {
		const size_t section = table + i * SECTION,
			     at = (size_t)get(s, section + OFFSET_AT, 8);
		const uint64_t flags = get(s, section + FLAGS_AT, 8);
		if (at > s->size || s->size - at < CHDR + 16 || get(s, section + 4, 4) != 1)
			continue;
		if (!(flags & COMPRESSED) &&
		    shape_draw(s, 16) == 0) /* what is not compressed claims to be */
			shape_set(s, section + FLAGS_AT, flags | COMPRESSED, 8);
		else if (flags & COMPRESSED && shape_draw(s, 2))
			lie_once(s, section, at);
	}
}

static size_t align(struct shape *s)
{
	shape_put_zeros(s, (8 - s->size % 8) % 8);
	return s->size;
}

/* A stripped Go program of many functions (Go 1.20 to 1.26), which share one long name and the tables of their lines. */
void shape_go(struct shape *s)
{
	enum {
		BASE = 0x400000,
		HEADERS = 64 + 56,
		STEP = 16,
		RWX = 7,
		PARTS = 32,
		MAGIC = 0x464c457f
	};
	const uint64_t count = s->path ? strtoull(s->path, NULL, 10) : 1 + shape_draw(s, 20000),
		       text = 1 + shape_draw(s, 16 * count), lines = 1 + shape_draw(s, 8 * count);

	shape_put(s, MAGIC, 4);
	shape_put(s, 0x010102, 4); /* 64 bits, little-endian */
	shape_put_zeros(s, 8);
	shape_put(s, 0x3e0002, 4); /* a program of x86-64 */
	shape_put(s, 1, 4);
	shape_put(s, BASE, 8);
	shape_put(s, 64, 8);
	shape_put_zeros(s, 12);
	shape_put(s, 0x380040, 4);
	shape_put(s, 1, 2); /* one segment and no section */
	shape_put_zeros(s, 6);
	shape_put(s, (uint64_t)RWX << 32 | 1, 8);
	shape_put(s, 0, 8);
	shape_put(s, BASE, 8);
	shape_put(s, BASE, 8);
	shape_put_zeros(s, 16); /* its sizes are set at the end */
	shape_put(s, 0x1000, 8);
	shape_put_zeros(s, (size_t)count * STEP); /* code */

	const size_t table = align(s);
	shape_put(s, 0xfffffff1, 4);
	shape_put(s, 0x08010000, 4);
	shape_put(s, count, 8);
	shape_put(s, 1, 8); /* files */
	shape_put(s, BASE + HEADERS, 8);
	shape_put_zeros(s, 5 * 8);
	shape_set(s, table + PARTS, s->size - table, 8);
	for (uint64_t i = 0; i < text; i++)
		shape_put(s, 'a' + i % 26, 1);
	shape_put(s, 0, 1);
	shape_set(s, table + PARTS + 8, align(s) - table, 8);
	shape_put(s, 0, 4); /* the unit's one file */
	shape_set(s, table + PARTS + 16, align(s) - table, 8);
	shape_put_text(s, "a.go");
	shape_put(s, 0, 1);
	const size_t values = align(s);
	shape_set(s, table + PARTS + 24, values - table, 8);
	shape_put(s, 0, 1); /* no table */
	shape_put(s, 2, 1); /* file 0 for all of the code */
	shape_put(s, 0x7f, 1);
	shape_put(s, 0, 1);
	for (uint64_t i = 0; i < lines; i++) { /* the next line at the next byte */
		shape_put(s, 2, 1);
		shape_put(s, 1, 1);
	}
	shape_put(s, 0, 1);
	const size_t index = align(s);
	shape_set(s, table + PARTS + 32, index - table, 8);
	for (uint64_t i = 0; i < count; i++) {
		shape_put(s, i * STEP, 4);
		shape_put(s, (count + 1) * 8 + i * 44, 4);
	}
	shape_put(s, count * STEP, 4);
	shape_put(s, 0, 4);
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t words[] = { i * STEP, 0, 0, 0, 0, 1, 4, 0, 0, 1, 0 };

		for (unsigned j = 0; j < 11; j++)
			shape_put(s, words[j], 4);
	}
	shape_set(s, 64 + 32, s->size, 8);
	shape_set(s, 64 + 40, s->size, 8);
}
