/* SPDX-License-Identifier: MIT */
/*
 * Core files that ask for much: written to standard output, by the kind that is named; without one the
 * kinds are listed.
 *
 *	threads    300 threads that share one stack of 65,536 frames
 *	mappings   60,000 segments of the same bytes, each of which looks like the start of a large module
 *	modules    4,000 modules, and threads whose stacks lead through all of them
 *	paths      1,000 threads whose deep stacks are in one module with a path of 200,000 bytes
 *	places     40 threads whose stacks lead through 800 places of one module, whose code leads nowhere
 *	late       200 MB of the same bytes before the notes, which packs 200 times; not listed
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	HEADER = 64,
	SEGMENT = 56,
	PAGE = 4096,
	STATUS = 336,
	NOTE = 20 + STATUS,
	RBP = 112 + 4 * 8, /* in the status */
	RIP = 112 + 16 * 8,
	RSP = 112 + 19 * 8,
};

static const uint64_t stack_at = 0x7f0000000000, code_at = 0x400000;

static void put(uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void write_bytes(const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, stdout) != size)
		exit(EXIT_FAILURE);
}

static void write_elf_header(uint16_t type, uint16_t segments)
{
	static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	uint8_t header[HEADER] = { 0 };

	memcpy(header, ident, sizeof(ident));
	put(header + 16, type, 2);
	put(header + 18, 62, 2);
	put(header + 20, 1, 4);
	put(header + 32, HEADER, 8);
	put(header + 54, SEGMENT, 2);
	put(header + 56, segments, 2);
	write_bytes(header, sizeof(header));
}

static void write_segment(uint32_t type, uint32_t flags, uint64_t offset, uint64_t va,
                          uint64_t size)
{
	uint8_t segment[SEGMENT] = { 0 };

	put(segment, type, 4);
	put(segment + 4, flags, 4);
	put(segment + 8, offset, 8);
	put(segment + 16, va, 8);
	put(segment + 32, size, 8);
	put(segment + 40, size, 8);
	write_bytes(segment, sizeof(segment));
}

static void write_thread(uint32_t tid)
{
	uint8_t note[NOTE] = { 5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 'C', 'O', 'R', 'E' };

	put(note + 4, STATUS, 4);
	put(note + 20 + 32, tid, 4);
	put(note + 20 + RBP, stack_at, 8);
	put(note + 20 + RSP, stack_at, 8);
	put(note + 20 + RIP, code_at + 0x200, 8);
	write_bytes(note, sizeof(note));
}

/* A page with the header of a module: `size` bytes of code from its first byte on. */
static void write_module(uint64_t size)
{
	uint8_t rest[PAGE - HEADER - SEGMENT] = { 0 };

	write_elf_header(3, 1);
	write_segment(1, 5, 0, 0, size);
	write_bytes(rest, sizeof(rest));
}

/* Frame records, each of which leads to the next, with return addresses `step` apart, `count` in a turn. */
static void write_stack(size_t frames, uint64_t step, uint64_t count)
{
	uint8_t record[16];

	for (size_t i = 0; i < frames; i++) {
		put(record, i + 1 < frames ? stack_at + 16 * (i + 1) : 0, 8);
		put(record + 8, code_at + 0x300 + step * (i % count), 8);
		write_bytes(record, sizeof(record));
	}
}

static void write_threads(uint32_t threads, uint64_t modules, size_t frames, uint64_t step,
                          uint64_t places)
{
	uint64_t notes = HEADER + (2 + modules) * SEGMENT;
	uint64_t page = notes + (uint64_t)threads * NOTE;

	write_elf_header(4, (uint16_t)(2 + modules));
	write_segment(4, 4, notes, 0, (uint64_t)threads * NOTE);
	write_segment(1, 6, page + PAGE, stack_at, 16 * frames);
	for (uint64_t i = 0; i < modules; i++)
		write_segment(1, 5, page, code_at + i * PAGE, PAGE);
	for (uint32_t i = 0; i < threads; i++)
		write_thread(i + 1);
	write_module(PAGE);
	write_stack(frames, step, places);
}

/* The headers claim all addresses up to the stack, and nothing of it is code. */
static void write_mappings(uint16_t count)
{
	uint64_t notes = HEADER + (1 + (uint64_t)count) * SEGMENT;

	write_elf_header(4, (uint16_t)(count + 1));
	write_segment(4, 4, notes, 0, NOTE);
	for (uint64_t i = 0; i < count; i++)
		write_segment(1, 4, notes + NOTE, code_at + i * PAGE, PAGE);
	write_thread(1);
	write_module(stack_at - code_at);
}

/* Notes that come after the memory: none of it can be skipped. */
static void write_late(uint64_t size)
{
	const uint64_t at = HEADER + 2 * SEGMENT;
	uint8_t page[PAGE];

	memset(page, 'A', sizeof(page));
	write_elf_header(4, 2);
	write_segment(4, 4, at + size, 0, NOTE);
	write_segment(1, 6, at, stack_at, size);
	for (uint64_t i = 0; i < size; i += PAGE)
		write_bytes(page, sizeof(page));
	write_thread(1);
}

/* A note of files: the page of code belongs to one whose path has `size` bytes. */
static void write_files_note(size_t size)
{
	uint8_t note[20 + 40] = { 5, 0, 0, 0, 0, 0, 0, 0, 'E', 'L', 'I', 'F', 'C', 'O', 'R', 'E' };

	put(note + 4, 40 + size, 4);
	put(note + 20, 1, 8);
	put(note + 28, 1, 8);
	put(note + 36, code_at, 8);
	put(note + 44, code_at + PAGE, 8);
	write_bytes(note, sizeof(note));
	for (size_t i = 0; i < size; i++)
		write_bytes(i + 1 < size ? "/" : "", 1);
}

static void write_paths(uint32_t threads, size_t frames, size_t path)
{
	const uint64_t size = (uint64_t)threads * NOTE + 60 + path, notes = HEADER + 3 * SEGMENT;

	write_elf_header(4, 3);
	write_segment(4, 4, notes, 0, size);
	write_segment(1, 6, notes + size + PAGE, stack_at, 16 * frames);
	write_segment(1, 5, notes + size, code_at, PAGE);
	for (uint32_t i = 0; i < threads; i++)
		write_thread(i + 1);
	write_files_note(path);
	write_module(PAGE);
	write_stack(frames, 0, 1);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		puts("threads\nmappings\nmodules\nplaces");
	else if (strcmp(argv[1], "threads") == 0)
		write_threads(300, 1, 1 << 16, PAGE, 1);
	else if (strcmp(argv[1], "mappings") == 0)
		write_mappings(60000);
	else if (strcmp(argv[1], "modules") == 0)
		write_threads(300, 4000, 1 << 16, PAGE, 4000);
	else if (strcmp(argv[1], "late") == 0)
		write_late(UINT64_C(200) << 20);
	else if (strcmp(argv[1], "places") == 0)
		write_threads(40, 1, 1 << 16, 4, 800);
	else if (strcmp(argv[1], "paths") == 0)
		write_paths(1000, 2000, 200000);
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
