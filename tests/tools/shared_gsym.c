/* SPDX-License-Identifier: MIT */
/*
 * GSYM files whose parts share their bytes, so that a small file has very much to read:
 * shared_gsym KIND BYTES [UUID] writes one of about so many bytes to standard output.
 *
 *	rows      all functions have one record, half of the file, of rows
 *	inlines   the same with inlined calls
 *	nested    the same with inlined calls in each other, of ranges that overlap
 *	levels    one function with 1,000 calls in each other that have one long name
 *	overlap   each record begins eight bytes behind the one before it
 *	calls     one record of call sites that have all names
 *	merged    one record with thousands of functions that are folded into it
 *	name      all functions have one long name
 *	bytes     the same, and each byte of the name has to be escaped
 *	tails     each function's name begins one byte behind the one before it
 *	paths     each file's path begins one byte behind the one before it
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 48, ENTRY = 8, EMPTY_BLOCK = 8, UUID_MAX = 20, RECORD_HEAD = 8, APART = 16 };

struct bytes {
	uint8_t *data;
	size_t size, capacity;
};

static void put(struct bytes *b, const void *data, size_t size)
{
	while (b->size + size > b->capacity) {
		b->capacity = b->capacity ? 2 * b->capacity : 4096;
		b->data = realloc(b->data, b->capacity);
		if (!b->data)
			exit(2);
	}
	memcpy(b->data + b->size, data, size);
	b->size += size;
}

static void put_number(struct bytes *b, uint64_t value, unsigned width)
{
	for (unsigned i = 0; i < width; i++, value >>= 8) {
		uint8_t byte = (uint8_t)value;
		put(b, &byte, 1);
	}
}

static void put_uleb(struct bytes *b, uint64_t value)
{
	do {
		put_number(b, (value & 0x7f) | (value > 0x7f ? 0x80 : 0), 1);
		value >>= 7;
	} while (value);
}

static void put_block(struct bytes *b, uint32_t type, const struct bytes *data)
{
	put_number(b, type, 4);
	put_number(b, data->size, 4);
	put(b, data->size ? data->data : (const void *)"", data->size);
}

/* Rows of one byte each. */
static void add_rows(struct bytes *record, size_t size)
{
	struct bytes rows = { .size = 0 };

	put(&rows, "\0\0\1", 3); /* deltas 0 to 0, line 1 */
	while (rows.size < size)
		put_number(&rows, 5, 1); /* the address grows by 1 */
	put_number(&rows, 0, 1);
	put_block(record, 1, &rows);
	free(rows.data);
}

static void put_node(struct bytes *tree, uint64_t low, uint64_t size, bool children)
{
	put_uleb(tree, 1);
	put_uleb(tree, low);
	put_uleb(tree, size);
	put_number(tree, children, 1);
	put_number(tree, 1, 4);
	put_uleb(tree, 1);
	put_uleb(tree, 1);
}

static void add_inlines(struct bytes *record, size_t size)
{
	struct bytes tree = { .size = 0 };

	put_node(&tree, 0, 1 << 20, true);
	for (uint64_t at = 0; tree.size < size; at++)
		put_node(&tree, at, 1, false);
	put_number(&tree, 0, 1);
	put_block(record, 2, &tree);
	free(tree.data);
}

/* As deep as it may be, and at each level many ranges. */
static void add_nested(struct bytes *record, size_t size)
{
	enum { LEVELS = 1000 };
	struct bytes tree = { .size = 0 };
	size_t ranges = size / LEVELS / 3 + 1;

	for (unsigned level = 0; level < LEVELS; level++) {
		put_uleb(&tree, ranges);
		for (size_t i = 0; i < ranges; i++) {
			put_uleb(&tree, 2 * i);
			put_uleb(&tree, 1 << 20);
		}
		put_number(&tree, level + 1 < LEVELS, 1);
		put_number(&tree, 1, 4);
		put_uleb(&tree, 1);
		put_uleb(&tree, 1);
	}
	for (unsigned level = 1; level < LEVELS; level++)
		put_number(&tree, 0, 1);
	put_block(record, 2, &tree);
	free(tree.data);
}

static void add_levels(struct bytes *record)
{
	enum { LEVELS = 1000 };
	struct bytes tree = { .size = 0 };

	for (unsigned level = 0; level < LEVELS; level++)
		put_node(&tree, 0, 1 << 20, level + 1 < LEVELS);
	for (unsigned level = 1; level < LEVELS; level++)
		put_number(&tree, 0, 1);
	put_block(record, 2, &tree);
	free(tree.data);
}

static void add_calls(struct bytes *record, size_t size)
{
	struct bytes calls = { .size = 0 };
	uint32_t names = (uint32_t)(size / 4);

	put_number(&calls, 1, 4);
	put_number(&calls, 4, 8);
	put_number(&calls, 0, 1);
	put_number(&calls, names, 4);
	for (uint32_t i = 0; i < names; i++)
		put_number(&calls, 1, 4);
	put_block(record, 4, &calls);
	free(calls.data);
}

static void add_merged(struct bytes *record, size_t size)
{
	struct bytes merged = { .size = 0 };
	uint32_t count = (uint32_t)(size / (4 + RECORD_HEAD + EMPTY_BLOCK));

	put_number(&merged, count, 4);
	for (uint32_t i = 0; i < count; i++) {
		put_number(&merged, RECORD_HEAD + EMPTY_BLOCK, 4);
		put_number(&merged, 16, 4);
		put_number(&merged, 1, 4);
		put_number(&merged, 0, 8);
	}
	put_block(record, 3, &merged);
	free(merged.data);
}

/* Words 9 and 8 in turn: size and name of a record at any second one, and blocks of type 9. */
static void add_same(struct bytes *record, size_t size)
{
	while (record->size < size)
		put_number(record, UINT64_C(8) << 32 | 9, 8);
}

/* What the one record holds, behind size and name. */
static void add_blocks(struct bytes *record, const char *kind, size_t size)
{
	if (strcmp(kind, "rows") == 0)
		add_rows(record, size);
	else if (strcmp(kind, "inlines") == 0)
		add_inlines(record, size);
	else if (strcmp(kind, "nested") == 0)
		add_nested(record, size);
	else if (strcmp(kind, "levels") == 0)
		add_levels(record);
	else if (strcmp(kind, "calls") == 0)
		add_calls(record, size);
	else if (strcmp(kind, "merged") == 0)
		add_merged(record, size);
	else if (strcmp(kind, "overlap") == 0)
		add_same(record, size);
	put_number(record, 0, 8);
}

struct plan {
	const char *kind;
	size_t size;
	uint32_t functions, files;
	size_t strings_size;
	struct bytes records;
};

static bool is(const struct plan *p, const char *kind)
{
	return strcmp(p->kind, kind) == 0;
}

/* Half of the file is what is shared, the other half functions, or files, that share it. */
static void make_plan(struct plan *p)
{
	size_t half = p->size / 2;
	bool one = !is(p, "levels") && !is(p, "name") && !is(p, "bytes") && !is(p, "tails") &&
	           !is(p, "paths");

	p->functions = (uint32_t)(half / ENTRY);
	p->files = 2;
	p->strings_size = 16;
	if (!one)
		p->strings_size = half;
	if (is(p, "paths")) {
		p->functions = 1;
		p->files = (uint32_t)(half / ENTRY);
	}
	if (is(p, "tails"))
		p->functions = (uint32_t)(half / (ENTRY + RECORD_HEAD + EMPTY_BLOCK));
	uint32_t records = is(p, "tails") ? p->functions : 1;
	for (uint32_t i = 0; i < records; i++) {
		put_number(&p->records, is(p, "tails") ? APART / 2 : 1 << 30, 4);
		put_number(&p->records, 1 + i, 4);
		add_blocks(&p->records, p->kind, one ? half : 0);
	}
}

static uint64_t record_offset(const struct plan *p, uint32_t index)
{
	if (is(p, "tails"))
		return (uint64_t)index * (RECORD_HEAD + EMPTY_BLOCK);
	if (is(p, "overlap"))
		return (uint64_t)index * EMPTY_BLOCK % (p->size / 2);
	return 0;
}

static void write_header(const struct plan *p, const char *uuid, struct bytes *out)
{
	size_t tables = HEADER + (size_t)p->functions * ENTRY + 4 + (size_t)p->files * ENTRY;
	uint8_t id[UUID_MAX] = { 0 };
	unsigned size = 0;

	for (; size < UUID_MAX && uuid[2 * size] && uuid[2 * size + 1]; size++) {
		char digits[3] = { uuid[2 * size], uuid[2 * size + 1], 0 };
		id[size] = (uint8_t)strtoul(digits, NULL, 16);
	}
	put_number(out, 0x4753594d, 4);
	put_number(out, 1, 2);
	put_number(out, 4, 1);
	put_number(out, size, 1);
	put_number(out, 0x1000, 8);
	put_number(out, p->functions, 4);
	put_number(out, tables, 4);
	put_number(out, p->strings_size, 4);
	put(out, id, sizeof(id));
}

static void write_strings(const struct plan *p, struct bytes *out)
{
	put_number(out, 0, 1);
	for (size_t i = 1; i + 1 < p->strings_size; i++)
		put(out,
		    is(p, "bytes")         ? "\1"
		    : p->strings_size > 16 ? &"abcdefghijklmnopqrstuvwxyz"[i % 26]
		                           : "f",
		    1);
	put_number(out, 0, 1);
}

/* Code is some 64 KB, wherever the functions are so many that they begin at one address. */
static void write_file(const struct plan *p, const char *uuid)
{
	size_t tables = HEADER + (size_t)p->functions * ENTRY + 4 + (size_t)p->files * ENTRY;
	struct bytes out = { .size = 0 };

	write_header(p, uuid, &out);
	for (uint32_t i = 0; i < p->functions; i++)
		put_number(&out, i % (UINT32_MAX / APART) * (uint64_t)APART, 4);
	for (uint32_t i = 0; i < p->functions; i++)
		put_number(&out, tables + p->strings_size + record_offset(p, i), 4);
	put_number(&out, p->files, 4);
	for (uint32_t i = 0; i < p->files; i++) {
		uint64_t at = i == 0 ? 0 : p->files > 2 ? i % (p->strings_size - 1) + 1 : 1;
		put_number(&out, i == 0 ? 0 : at, 4);
		put_number(&out, i == 0 ? 0 : 1, 4);
	}
	write_strings(p, &out);
	put(&out, p->records.data, p->records.size);
	if (fwrite(out.data, 1, out.size, stdout) != out.size || fflush(stdout) != 0)
		exit(2);
	free(out.data);
}

int main(int argc, char **argv)
{
	struct plan p = { .kind = argc > 2 ? argv[1] : "",
		          .size = argc > 2 ? strtoul(argv[2], NULL, 10) : 0 };

	if (p.size < 4096 || p.size > UINT32_MAX / 2) {
		fputs("usage: shared_gsym KIND BYTES [UUID]\n", stderr);
		return 2;
	}
	make_plan(&p);
	write_file(&p, argc > 3 ? argv[3] : "");
	free(p.records.data);
	return 0;
}
