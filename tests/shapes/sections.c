/* SPDX-License-Identifier: MIT */
/* Lies in the headers of compressed sections, of a sound ELF file of 64 bits in little-endian order. */
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
	s->room = FILE_MAX;
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
