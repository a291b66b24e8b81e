/* SPDX-License-Identifier: MIT */
/* Generates .sframe sections with typical functions for the benchmarks. */
#include "section.h"

#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum {
	HEADER = 28,
	TEXT = 0x400000,
	ADDRESS = 0x20000000, /* of the section, behind the text */
	RECORD_MAX = 20,
	ROWS_MAX = 40,    /* of one function */
	ROW_MAX = 4 + 12, /* bytes of one row */
	ALIGNMENT = 16,
	PUSHES_MAX = 6,
	RBP = 6,
};

/* What the words of a row say. */
struct fact {
	uint32_t start;
	bool from_sp, has_fp;
	int cfa, fp;
};

struct body {
	struct fact facts[ROWS_MAX];
	unsigned count;
	uint32_t size;
	bool realigned;
};

struct maker {
	uint64_t random;
	uint8_t version;
	uint8_t *records, *rows; /* the next byte of each part */
	const uint8_t *rows_begin;
	uint32_t row_count;
};

static unsigned pick(struct maker *m, unsigned below)
{
	return (unsigned)((bench_random(&m->random) >> 20) % below);
}

static void put(uint8_t **at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		*(*at)++ = (uint8_t)(value >> 8 * i);
}

static void add_fact(struct body *b, struct fact fact)
{
	fact.start = b->size;
	b->facts[b->count++] = fact;
}

/* push; mov; body; leave; ret. */
static void with_frame_pointer(struct maker *m, struct body *b)
{
	add_fact(b, (struct fact){ .from_sp = true, .cfa = 8 });
	b->size += 1;
	add_fact(b, (struct fact){ .from_sp = true, .cfa = 16, .has_fp = true, .fp = -16 });
	b->size += 3;
	add_fact(b, (struct fact){ .cfa = 16, .has_fp = true, .fp = -16 });
	b->size += 24 + pick(m, 500);
	add_fact(b, (struct fact){ .from_sp = true, .cfa = 8 });
	b->size += 1;
}

/* pop ...; ret, the rows that follow each. */
static void pops(struct body *b, int pushes, int fp_at)
{
	for (int depth = pushes; depth >= 0; depth--) {
		bool has_fp = fp_at > 0 && depth >= fp_at;
		add_fact(b, (struct fact){ .from_sp = true,
		                           .cfa = 8 + 8 * depth,
		                           .has_fp = has_fp,
		                           .fp = -8 - 8 * fp_at });
		b->size += 2;
	}
}

/* push ...; sub; body; add; pop ...; ret, and more of the last three. */
static void with_pushes(struct maker *m, struct body *b)
{
	int pushes = 1 + (int)pick(m, PUSHES_MAX);
	int fp_at = pushes >= 2 ? pushes - 1 : 0;
	int frame = pick(m, 8) == 0 ? 256 + 8 * (int)pick(m, 500) : 8 + 8 * (int)pick(m, 10);
	unsigned exits = 1 + pick(m, 3);

	for (int depth = 0; depth <= pushes; depth++) {
		bool has_fp = fp_at > 0 && depth >= fp_at;
		add_fact(b, (struct fact){ .from_sp = true,
		                           .cfa = 8 + 8 * depth,
		                           .has_fp = has_fp,
		                           .fp = -8 - 8 * fp_at });
		b->size += 2 + pick(m, 8);
	}
	for (unsigned i = 0; i < exits; i++) {
		add_fact(b, (struct fact){ .from_sp = true,
		                           .cfa = 8 + 8 * pushes + frame,
		                           .has_fp = fp_at > 0,
		                           .fp = -8 - 8 * fp_at });
		b->size += 32 + pick(m, pick(m, 8) == 0 ? 2500 : 400);
		pops(b, pushes, fp_at);
	}
}

static struct body make_body(struct maker *m)
{
	struct body b = { .size = 0 };
	unsigned kind = pick(m, 128);

	if (kind < 36) {
		add_fact(&b, (struct fact){ .from_sp = true, .cfa = 8 });
		b.size += 4 + pick(m, 100);
	} else if (kind < 62) {
		with_frame_pointer(m, &b);
	} else {
		with_pushes(m, &b);
	}
	b.realigned = kind == 127;
	return b;
}

static unsigned word_code(const struct fact *fact)
{
	return fact->cfa < 128 && fact->fp >= -128 ? 0 : 1;
}

/* As GNU as does for a realigned stack in version 3: each place names its register. */
static void put_flexible(struct maker *m, const struct fact *fact)
{
	put(&m->rows, (fact->has_fp ? 5u : 2u) << 1 | 1u << 5, 1);
	put(&m->rows, RBP << 3 | 3, 2);
	put(&m->rows, (uint64_t)-8, 2);
	if (fact->has_fp) {
		put(&m->rows, 0, 2);
		put(&m->rows, RBP << 3 | 3, 2);
		put(&m->rows, 0, 2);
	}
}

static void put_row(struct maker *m, const struct body *b, const struct fact *fact)
{
	unsigned code = word_code(fact);

	put(&m->rows, fact->start, b->size > 256 ? 2 : 1);
	if (m->version == 3 && b->realigned) {
		put_flexible(m, fact);
		return;
	}
	put(&m->rows, code << 5 | (fact->has_fp ? 2u : 1u) << 1 | fact->from_sp, 1);
	put(&m->rows, (uint64_t)fact->cfa, 1u << code);
	if (fact->has_fp)
		put(&m->rows, (uint64_t)fact->fp, 1u << code);
}

static void put_function(struct maker *m, const struct body *b, uint64_t start, size_t record)
{
	uint64_t rows_at = (uint64_t)(m->rows - m->rows_begin);
	unsigned info = b->size > 256 ? 1 : 0;

	if (m->version == 3) {
		put(&m->records, start - ADDRESS - record, 8);
		put(&m->records, b->size, 4);
		put(&m->records, rows_at, 4);
		put(&m->rows, b->count, 2);
		put(&m->rows, info | (b->realigned ? 1u << 8 : 0), 3);
	} else {
		put(&m->records, start - ADDRESS, 4);
		put(&m->records, b->size, 4);
		put(&m->records, rows_at, 4);
		put(&m->records, b->count, 4);
		put(&m->records, info, m->version == 2 ? 4 : 1);
	}
	for (unsigned i = 0; i < b->count; i++)
		put_row(m, b, &b->facts[i]);
	m->row_count += b->count;
}

static void put_header(const struct maker *m, uint8_t *at, uint32_t functions, size_t records)
{
	put(&at, 0xdee2, 2);
	put(&at, m->version, 1);
	put(&at, m->version == 3 ? 5 : 1, 1);
	put(&at, 3, 1);
	put(&at, 0, 1);
	put(&at, (uint64_t)-8, 1);
	put(&at, 0, 1);
	put(&at, functions, 4);
	put(&at, m->row_count, 4);
	put(&at, (uint64_t)(m->rows - m->rows_begin), 4);
	put(&at, 0, 4);
	put(&at, records, 4);
}

struct section section_make(uint8_t version, uint32_t functions)
{
	size_t record = version == 1 ? 17 : version == 2 ? 20 : 16;
	size_t records = functions * record;
	uint8_t *bytes = malloc(HEADER + records + (size_t)functions * (5 + ROWS_MAX * ROW_MAX));

	if (!bytes)
		return (struct section){ .bytes = { (const uint8_t *)"", 0 } };
	struct maker m = { .random = 0x243f6a8885a308d3,
		           .version = version,
		           .records = bytes + HEADER,
		           .rows = bytes + HEADER + records,
		           .rows_begin = bytes + HEADER + records };
	uint64_t start = TEXT;
	for (uint32_t i = 0; i < functions; i++) {
		struct body b = make_body(&m);
		put_function(&m, &b, start, HEADER + i * record);
		start += (b.size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	}
	put_header(&m, bytes, functions, records);
	return (struct section){ { bytes, (size_t)(m.rows - bytes) }, ADDRESS };
}

void section_finish(struct section *section)
{
	if (section->bytes.size > 0)
		free((void *)(uintptr_t)section->bytes.data);
}
