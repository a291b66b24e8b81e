/* SPDX-License-Identifier: MIT */
/* Shapes of Breakpad files, jitdumps and perf maps: long names, and lines and calls that share them. */
#include "shape.h"

#include <inttypes.h>
#include <stdio.h>

enum { PID = 4711, APART = 16 };

static const uint64_t made_at = 0x10000000;

/* In the text '@' stands for the next number in hexadecimal, '#' for it in decimal. */
static void put_line(struct shape *s, const char *text, uint64_t a, uint64_t b)
{
	char number[32];

	for (; *text; text++) {
		if (*text != '@' && *text != '#') {
			shape_put(s, (uint8_t)*text, 1);
			continue;
		}
		if (*text == '@')
			snprintf(number, sizeof(number), "%" PRIx64, a);
		else
			snprintf(number, sizeof(number), "%" PRIu64, a);
		shape_put_text(s, number);
		a = b;
	}
}

/* A long name; those of two numbers differ in the last characters, or not at all. */
static void put_name(struct shape *s, size_t length, uint64_t number)
{
	char tail[32];

	for (size_t i = 0; i < length; i++)
		shape_put(s, 'a' + i % 26, 1);
	snprintf(tail, sizeof(tail), "%" PRIx64, number);
	shape_put_text(s, tail);
}

/* Many calls in one function, in each other or beside each other, of one origin. */
static void put_calls(struct shape *s, uint64_t count, uint64_t size)
{
	const bool nested = shape_draw(s, 2);

	for (uint64_t i = 0; i < count; i++) {
		put_line(s, "INLINE # #", nested ? i : 0, i % 1000);
		put_line(s, " 0 0 @ @\n", nested ? 0x1000 : 0x1000 + 2 * i, nested ? size : 1);
	}
}

void shape_breakpad(struct shape *s)
{
	const size_t length = (size_t)16 << shape_draw(s, 14);
	uint64_t count = shape_draw_count(s) / 4 + 1;

	shape_put_text(s, "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 prog\nFILE 0 ");
	put_name(s, length, 0);
	shape_put_text(s, "\nINLINE_ORIGIN 0 ");
	put_name(s, length, 1);
	shape_put_text(s, "\n");
	for (uint64_t i = 0; i < 1 + shape_draw(s, 16); i++) {
		put_line(s, "FUNC @ @ 0 ", 0x1000 + i * 0x100000, 0x100000);
		put_name(s, length, i);
		shape_put_text(s, "\n");
		if (i == 0)
			put_calls(s, count, 0x100000);
		for (uint64_t j = 0; j < count; j++) {
			put_line(s, "@ @ ", 0x1000 + i * 0x100000 + j * 2,
			         shape_draw(s, 16) ? 2 : 0x100000);
			put_line(s, "# 0\n", shape_draw(s, 16) ? j : shape_draw_lie(s, UINT32_MAX),
			         0);
		}
	}
	for (uint64_t i = 0; i < shape_draw(s, 64); i++) {
		put_line(s, "STACK CFI INIT @ @ .cfa: $rsp", 0x1000 + i * 0x10, 0x1000);
		for (size_t j = 0; j < length / 8; j++)
			shape_put_text(s, " 1 +");
		shape_put_text(s, "\n");
	}
}

static size_t begin_record(struct shape *s, uint32_t kind)
{
	shape_put(s, kind, 4);
	shape_put_zeros(s, 12);
	return s->size;
}

static void end_record(struct shape *s, size_t content)
{
	uint64_t size = s->size - content + 16;

	shape_set(s, content - 12, shape_draw(s, 256) ? size : shape_draw_lie(s, size), 4);
}

/* Lines of the code that is loaded next; all but the first have the name of the one before. */
static void put_lines(struct shape *s, uint64_t start, uint64_t count, size_t length)
{
	size_t content = begin_record(s, 2);

	shape_put(s, start, 8);
	shape_put(s, shape_draw(s, 32) ? count : shape_draw_lie(s, count), 8);
	for (uint64_t i = 0; i < count; i++) {
		shape_put(s, start + i % APART, 8);
		shape_put(s, shape_draw(s, 16) ? i : shape_draw_lie(s, INT32_MAX), 4);
		shape_put(s, 0, 4);
		if (i == 0)
			put_name(s, length, 0);
		else
			shape_put(s, 0xff, 1);
		shape_put(s, 0, 1);
	}
	end_record(s, content);
}

static void put_load(struct shape *s, uint64_t start, size_t length, uint64_t number)
{
	size_t content = begin_record(s, 0);

	shape_put(s, PID, 4);
	shape_put(s, PID, 4);
	shape_put(s, start, 8);
	shape_put(s, start, 8);
	shape_put(s, APART, 8);
	shape_put(s, number, 8);
	put_name(s, length, number);
	shape_put(s, 0, 1);
	shape_put_text(s, "\x55\x48\x89\xe5\xff\xd7\x5d\xc3\x55\x48\x89\xe5\xff\xd7\x5d\xc3");
	end_record(s, content);
}

static void put_move(struct shape *s, uint64_t from, uint64_t to)
{
	size_t content = begin_record(s, 1);

	shape_put(s, PID, 4);
	shape_put(s, PID, 4);
	shape_put(s, to, 8);
	shape_put(s, from, 8);
	shape_put(s, to, 8);
	shape_put(s, APART, 8);
	shape_put(s, 0, 8);
	end_record(s, content);
}

void shape_jitdump(struct shape *s)
{
	static const uint32_t head[] = { 0x4a695444, 1, 40, 62, 0, PID, 0, 0, 0, 0 };
	const size_t length = (size_t)16 << shape_draw(s, 12);
	const uint64_t count = 1 + shape_draw(s, 0x80000 / (length + 80));

	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		shape_put(s, head[i], 4);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t start =
			made_at + (shape_draw(s, 4) ? i % 0x10000 * APART : shape_draw(s, 0x1000));
		if (shape_draw(s, 8) == 0)
			put_lines(s, start, shape_draw_count(s) / 8 + 1, length);
		put_load(s, start, length, i);
		if (shape_draw(s, 8) == 0)
			put_move(s, start, made_at + shape_draw(s, 0x1000));
	}
}

void shape_perfmap(struct shape *s)
{
	const size_t length = (size_t)16 << shape_draw(s, 14);
	const uint64_t count = 1 + shape_draw(s, 0x80000 / (length + 16));

	for (uint64_t i = 0; i < count; i++) {
		put_line(s, "@ @ ", made_at + (shape_draw(s, 2) ? i * APART : 0),
		         shape_draw(s, 8) ? (uint64_t)0x100 << shape_draw(s, 12)
		                          : shape_draw_lie(s, APART));
		put_name(s, length, i);
		shape_put_text(s, "\n");
	}
}
