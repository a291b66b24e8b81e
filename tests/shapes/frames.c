/* SPDX-License-Identifier: MIT */
/* Shapes of SFrame tables of version 3: functions that share rows, rows of all forms, counts and places that lie. */
#include "shape.h"

enum {
	ELF_HEADER = 64,
	PROGRAM_HEADER = 56,
	TABLE_AT = ELF_HEADER + 2 * PROGRAM_HEADER,
	TABLE_HEADER = 28,
	FUNCTION = 16,
	ATTRIBUTE = 5,
	APART = 64, /* bytes of code of a function */
	PT_LOAD = 1,
	PT_GNU_SFRAME = 0x6474e554,
	FLAG_SORTED = 1,
	FLAG_OWN_FIELD = 4,
	AMD64 = 3,
	ROWS_MAX = 65535,
};

static void put_program_header(struct shape *s, uint32_t type, uint64_t at)
{
	shape_put(s, type, 4);
	shape_put(s, 5, 4); /* read, execute */
	for (unsigned i = 0; i < 3; i++)
		shape_put(s, at, 8);
	shape_put(s, 0, 8); /* sizes, which are set in the end */
	shape_put(s, 0, 8);
	shape_put(s, 1, 8);
}

/* Writes the ELF header of a shared object for amd64 without section headers. */
static void put_elf(struct shape *s)
{
	shape_put_text(s, "\177ELF\2\1\1");
	shape_put_zeros(s, 9);
	shape_put(s, 3, 2);
	shape_put(s, 62, 2);
	shape_put(s, 1, 4);
	shape_put(s, 0, 8);
	shape_put(s, ELF_HEADER, 8);
	shape_put(s, 0, 12);
	shape_put(s, ELF_HEADER, 2);
	shape_put(s, PROGRAM_HEADER, 2);
	shape_put(s, 2, 2);
	shape_put_zeros(s, ELF_HEADER - s->size);
	put_program_header(s, PT_LOAD, 0);
	put_program_header(s, PT_GNU_SFRAME, TABLE_AT);
}

static void put_header(struct shape *s, uint64_t functions)
{
	shape_put(s, 0xdee2, 2);
	shape_put(s, 3, 1);
	shape_put(s, FLAG_OWN_FIELD | (shape_draw(s, 4) ? FLAG_SORTED : 0), 1);
	shape_put(s, AMD64, 1);
	shape_put(s, 0, 1);
	shape_put(s, 0xf8, 1); /* the return address is at CFA - 8 */
	shape_put(s, 0, 1);
	shape_put(s, functions, 4);
	shape_put(s, shape_draw(s, 8) ? 0 : shape_draw_lie(s, functions), 4);
	shape_put(s, 0, 4); /* bytes of rows, which are set in the end */
	shape_put(s, 0, 4);
	shape_put(s, functions * FUNCTION, 4);
}

/* Each has the attribute of the first one, one a little further on, or any place. */
static void put_functions(struct shape *s, uint64_t functions, uint64_t capacity)
{
	const uint64_t way = shape_draw(s, 3);

	for (uint64_t i = 0; i < functions; i++) {
		const uint64_t places[] = { 0, i * ATTRIBUTE % capacity, shape_draw(s, capacity) };
		const uint64_t field = TABLE_HEADER + i * FUNCTION;
		shape_put(s, 0x100000 + i * APART - field, 8);
		shape_put(s, shape_draw(s, 16) ? APART : shape_draw_lie(s, APART), 4);
		shape_put(s, places[way], 4);
	}
}

/* Rows of one form, with starts of four bytes, of which many are equal or go back. */
static void put_rows(struct shape *s, uint64_t rows)
{
	const bool flexible = shape_draw(s, 2);
	const uint64_t words = shape_draw(s, 7), width = shape_draw(s, 3);
	const bool back = shape_draw(s, 4) == 0;

	shape_put(s, shape_draw(s, 8) ? rows : shape_draw_lie(s, rows), 2);
	shape_put(s, 2 | (shape_draw(s, 4) ? 0 : 0x10) | (shape_draw(s, 8) ? 0 : 0x80), 1);
	shape_put(s, flexible, 1);
	shape_put(s, shape_draw(s, 3) * 16, 1);
	for (uint64_t i = 0; i < rows; i++) {
		shape_put(s, back ? rows - i : i, 4);
		shape_put(s, 1 | words << 1 | width << 5, 1);
		for (uint64_t k = 0; k < words; k++)
			shape_put(s, flexible && k % 2 == 0 ? 7 << 3 | 1 : 8 + shape_draw(s, 64),
			          (size_t)1 << width);
	}
}

void shape_sframe(struct shape *s)
{
	const uint64_t functions = shape_draw_count(s);
	uint64_t rows = shape_draw_count(s);

	rows = rows < ROWS_MAX ? rows : ROWS_MAX;
	put_elf(s);
	put_header(s, functions);
	put_functions(s, functions, 5 * rows + ATTRIBUTE);
	const size_t at = s->size;
	put_rows(s, rows);
	shape_set(s, TABLE_AT + 16, shape_draw(s, 8) ? s->size - at : shape_draw_lie(s, s->size),
	          4);
	for (size_t i = 0; i < 2; i++) {
		const size_t sizes = ELF_HEADER + i * PROGRAM_HEADER + 32;
		const uint64_t size =
			i == 0 ? s->size + 0x100000 + functions * APART : s->size - TABLE_AT;
		shape_set(s, sizes, i == 0 ? s->size : size, 8);
		shape_set(s, sizes + 8, size, 8);
	}
}
