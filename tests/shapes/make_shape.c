/* SPDX-License-Identifier: MIT */
/*
 * Writes one file of a shape that makes readers work to standard output, always the same for a seed:
 *
 *	make_shape KIND SEED [FILE|COUNT]
 *
 *	minidump-modules  modules that share one long name
 *	minidump-loader   the same in the list of the dynamic loader
 *	minidump-threads  threads that share a stack, their registers and a name
 *	minidump-memory   ranges of memory that overlap, in all lists of them
 *	minidump-lists    any stream, with counts that lie, and streams that overlap
 *	core-files        a note of files with long names that are nearly equal
 *	core-notes        many segments that are the same notes
 *	core-loader       the list of the dynamic loader, which shares one name, and may be a circle
 *	core-named        a core of process 4711, whose one module is FILE, and whose frames go through code that it made
 *	breakpad          functions, calls and lines that share a file, an origin, or nearly a name
 *	jitdump           of process 4711: functions with long names, lines that share one file
 *	perfmap           the same as a perf map
 *	perf-chain        maps, then forks, each of the process that the one before it made; COUNT forks
 *	perf-star         maps, then forks of one process, which map a page each; COUNT forks
 *	perf-files        COUNT maps of files, and processes with a sample each
 *	otlp-stacks       COUNT samples that share stacks of as many locations
 *	otlp-labels       COUNT samples that share an attribute with a long text
 *	log-modules       a log of COUNT frames, each of another module
 *	chdr              FILE, an ELF file of 64 bits, with lies in the headers of its compressed sections
 */
#include "shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	void (*make)(struct shape *s);
	bool wants_file;
} kinds[] = {
	{ "minidump-modules", shape_minidump_modules, false },
	{ "minidump-loader", shape_minidump_loader, false },
	{ "minidump-threads", shape_minidump_threads, false },
	{ "minidump-memory", shape_minidump_memory, false },
	{ "minidump-lists", shape_minidump_lists, false },
	{ "core-files", shape_core_files, false },
	{ "core-notes", shape_core_notes, false },
	{ "core-loader", shape_core_loader, false },
	{ "core-named", shape_core_named, true },
	{ "breakpad", shape_breakpad, false },
	{ "jitdump", shape_jitdump, false },
	{ "perfmap", shape_perfmap, false },
	{ "chdr", shape_chdr, true },
	{ "perf-chain", shape_perf_chain, false },
	{ "perf-star", shape_perf_star, false },
	{ "perf-files", shape_perf_files, false },
	{ "otlp-stacks", shape_otlp_stacks, false },
	{ "otlp-labels", shape_otlp_labels, false },
	{ "otlp-names", shape_otlp_names, false },
	{ "gopclntab", shape_go, false },
	{ "log-modules", shape_log_modules, false },
	{ "sframe", shape_sframe, false },
};

static void reserve(struct shape *s, size_t more)
{
	if (more <= s->capacity - s->size)
		return;
	s->capacity = 2 * (s->size + more);
	s->data = realloc(s->data, s->capacity);
	if (!s->data)
		exit(2);
}

void shape_put(struct shape *s, uint64_t value, size_t width)
{
	reserve(s, width);
	s->size += width;
	shape_set(s, s->size - width, value, width);
}

void shape_set(struct shape *s, size_t at, uint64_t value, size_t width)
{
	for (size_t i = 0; i < width; i++)
		s->data[at + i] = (uint8_t)(value >> 8 * i);
}

void shape_put_zeros(struct shape *s, size_t size)
{
	reserve(s, size);
	memset(s->data + s->size, 0, size);
	s->size += size;
}

void shape_put_text(struct shape *s, const char *text)
{
	reserve(s, strlen(text));
	memcpy(s->data + s->size, text, strlen(text));
	s->size += strlen(text);
}

/* xorshift64* */
uint64_t shape_draw(struct shape *s, uint64_t bound)
{
	s->state ^= s->state >> 12;
	s->state ^= s->state << 25;
	s->state ^= s->state >> 27;
	return (s->state * UINT64_C(2685821657736338717) >> 16) % bound;
}

uint64_t shape_draw_count(struct shape *s)
{
	return 1 + shape_draw(s, (uint64_t)16 << shape_draw(s, 12));
}

uint64_t shape_draw_lie(struct shape *s, uint64_t size)
{
	switch (shape_draw(s, 4)) {
	case 0:
		return (UINT64_C(1) << shape_draw(s, 64)) - shape_draw(s, 3);
	case 1:
		return ~(uint64_t)0 - shape_draw(s, 64);
	case 2:
		return size - 8 + shape_draw(s, 16);
	default:
		return shape_draw(s, 16);
	}
}

void shape_put_frames(struct shape *s, size_t count, uint64_t stack, uint64_t code,
                      uint64_t code_size)
{
	for (size_t i = 0; i < count; i++) {
		shape_put(s, i + 1 < count ? stack + 16 * (i + 1) : 0, 8);
		shape_put(s, code + shape_draw(s, code_size), 8);
	}
}

static void write_shape(const struct shape *s)
{
	if (fwrite(s->data, 1, s->size, stdout) != s->size || fflush(stdout) != 0)
		exit(2);
}

int main(int argc, char **argv)
{
	struct shape s = { .path = argc > 3 ? argv[3] : NULL };

	if (argc < 2) {
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			puts(kinds[i].name);
		return 0;
	}
	for (size_t i = 0; argc > 2 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(argv[1], kinds[i].name) != 0 || (kinds[i].wants_file && !s.path))
			continue;
		s.state = strtoull(argv[2], NULL, 10) * 2 + 1;
		for (size_t j = 0; j < 16; j++) /* small seeds begin alike */
			shape_draw(&s, 2);
		kinds[i].make(&s);
		write_shape(&s);
		free(s.data);
		return 0;
	}
	fputs("usage: make_shape [KIND SEED [FILE|COUNT]]\n", stderr);
	return 2;
}
