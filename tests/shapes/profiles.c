/* SPDX-License-Identifier: MIT */
/* Shapes of recordings of perf, of OpenTelemetry's profiles and of logs; a third argument is the number of records. */
#include "shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t count_records(struct shape *s, uint64_t most)
{
	return s->path ? strtoull(s->path, NULL, 10) : 1 + shape_draw(s, most);
}

/* A recording without times; its one event has ip and pid. */
static void begin_recording(struct shape *s)
{
	enum { ATTR_SIZE = 128, HEADER_SIZE = 104, ATTR = 144, IP_AND_TID = 3 };

	shape_put_text(s, "PERFILE2");
	shape_put(s, HEADER_SIZE, 8);
	shape_put(s, ATTR, 8);
	shape_put(s, HEADER_SIZE, 8); /* attrs */
	shape_put(s, ATTR, 8);
	shape_put(s, HEADER_SIZE + ATTR, 8); /* data, whose size is set at the end */
	shape_put_zeros(s, HEADER_SIZE - 48);
	shape_put(s, 1, 4);
	shape_put(s, ATTR_SIZE, 4);
	shape_put(s, 0, 8);
	shape_put(s, 1, 8);
	shape_put(s, IP_AND_TID, 8);
	shape_put_zeros(s, ATTR - 32);
}

static void end_recording(struct shape *s)
{
	enum { DATA_SIZE_AT = 48, DATA_AT = 248 };

	shape_set(s, DATA_SIZE_AT, s->size - DATA_AT, 8);
}

static void put_record(struct shape *s, uint32_t type, size_t size)
{
	shape_put(s, type, 4);
	shape_put(s, 2, 2);
	shape_put(s, 8 + size, 2);
}

static void put_fork(struct shape *s, uint64_t child, uint64_t parent)
{
	put_record(s, 7, 24);
	for (unsigned i = 0; i < 4; i++)
		shape_put(s, i % 2 ? parent : child, 4);
	shape_put(s, 0, 8);
}

static void put_map(struct shape *s, uint64_t pid, uint64_t page, const char *path)
{
	char padded[8] = { 0 };

	memcpy(padded, path, strlen(path));
	put_record(s, 1, 40);
	shape_put(s, pid, 4);
	shape_put(s, pid, 4);
	shape_put(s, page << 12, 8);
	shape_put(s, 0x1000, 8);
	shape_put(s, 0, 8);
	for (unsigned i = 0; i < sizeof(padded); i++)
		shape_put(s, (uint8_t)padded[i], 1);
}

static void put_sample(struct shape *s, uint64_t pid, uint64_t address)
{
	put_record(s, 9, 16);
	shape_put(s, address, 8);
	shape_put(s, pid, 4);
	shape_put(s, pid, 4);
}

/* Maps of one process, then forks: each a child of the one before it, or all of the first, which map a page each. */
static void put_forks(struct shape *s, bool is_star)
{
	const uint64_t count = count_records(s, 20000);

	begin_recording(s);
	for (uint64_t i = 0; i <= count / 3; i++)
		put_map(s, 1, 2 * i + 1, "x");
	for (uint64_t i = 0; i < count; i++) {
		put_fork(s, i + 2, is_star ? 1 : i + 1);
		if (is_star)
			put_map(s, i + 2, 4, "y");
	}
	put_sample(s, count + 1, 0x1800);
	end_recording(s);
}

void shape_perf_chain(struct shape *s)
{
	put_forks(s, false);
}

void shape_perf_star(struct shape *s)
{
	put_forks(s, true);
}

/* Maps of as many files, and processes with a sample each. */
void shape_perf_files(struct shape *s)
{
	const uint64_t count = count_records(s, 20000);
	char path[8];

	begin_recording(s);
	for (uint64_t i = 0; i < count; i++) {
		(void)snprintf(path, sizeof(path), "%" PRIx32, (uint32_t)(i & 0xfffffff));
		put_map(s, i / 4 + 1, i, path);
		put_sample(s, i + 1, i << 12);
	}
	end_recording(s);
}

static void put_varint(struct shape *s, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		shape_put(s, (value & 0x7f) | 0x80, 1);
	shape_put(s, value, 1);
}

/* The body of a message, put in place of what was written since `start`. */
static void end_message(struct shape *s, uint32_t field, size_t start)
{
	const size_t size = s->size - start;
	uint8_t *body = malloc(size + 1);

	if (!body)
		exit(2);
	memcpy(body, s->data + start, size);
	s->size = start;
	put_varint(s, field << 3 | 2);
	put_varint(s, size);
	shape_put_zeros(s, size);
	memcpy(s->data + s->size - size, body, size);
	free(body);
}

static void put_part(struct shape *s, uint32_t field, const char *body, size_t size)
{
	put_varint(s, field << 3 | 2);
	put_varint(s, size);
	for (size_t i = 0; i < size; i++)
		shape_put(s, (uint8_t)body[i], 1);
}

/*
 * Samples that take turns with a few long stacks, and share an attribute with a long text, which is also the name of each frame if
 * `is_name`.
 */
static void put_profile(struct shape *s, uint64_t count, uint64_t stacks, uint64_t depth,
                        uint64_t text, bool is_name)
{
	for (unsigned empty = 1; empty <= 7; empty++)
		if (empty != 2 && empty != 5)
			put_part(s, empty, "", 0);
	if (is_name)
		put_part(s, 3, "\x08\2", 2); /* function 1: text 2 */
	for (uint64_t i = 0; i < depth; i++)
		put_part(s, 2, "\x1a\2\x08\1", is_name ? 4 : 0);
	for (uint64_t i = 0; i < stacks; i++) {
		const size_t stack = s->size;
		for (uint64_t j = i; j < depth; j++)
			put_varint(s, j);
		end_message(s, 1, stack);
		end_message(s, 7, stack);
	}
	put_part(s, 6, "\x08\1\x12\2\x40\2", 6); /* text 1: reference to text 2 */
	put_part(s, 5, "", 0);
	put_part(s, 5, "key", 3);
	const size_t start = s->size;
	for (uint64_t i = 0; i < text; i++)
		shape_put(s, 'a' + i % 26, 1);
	end_message(s, 5, start);
	end_message(s, 2, 0);
	const size_t resource = s->size;
	put_part(s, 1, "\x08\1\x10\1", 4);
	for (uint64_t i = 0; i < count; i++) {
		const size_t sample = s->size;
		put_varint(s, 1 << 3);
		put_varint(s, 1 + i % stacks);
		put_part(s, 2, "\1", 1);
		put_part(s, 4, "\1", 1);
		end_message(s, 2, sample);
	}
	end_message(s, 2, resource);
	end_message(s, 2, resource);
	end_message(s, 1, resource);
}

void shape_otlp_stacks(struct shape *s)
{
	const uint64_t count = count_records(s, 30000);

	put_profile(s, count, 1 + shape_draw(s, 3), count, 1, false);
}

void shape_otlp_labels(struct shape *s)
{
	const uint64_t count = count_records(s, 30000);

	put_profile(s, count, 1, 2, count * 16, false);
}

void shape_otlp_names(struct shape *s)
{
	const uint64_t count = count_records(s, 30000);

	put_profile(s, count, 1 + shape_draw(s, 3), 100, count * 16, true);
}

/* Frames as AddressSanitizer prints them, each of a module of its own that has no file. */
void shape_log_modules(struct shape *s)
{
	const uint64_t count = count_records(s, 5000);
	char line[256];

	for (uint64_t i = 0; i < count; i++) {
		(void)snprintf(line, sizeof(line),
		               "    #%" PRIu64 " 0x7f%010" PRIx64 " in f (/none/lib%" PRIu64
		               ".so+0x1000) (BuildId: %040" PRIx64 ")\n",
		               i % 50, i << 12, i, i + 1);
		shape_put_text(s, line);
	}
}
