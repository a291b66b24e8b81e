/* SPDX-License-Identifier: MIT */
/*
 * Files whose lists share one text, written to standard output, by the kind that is named; without one the kinds
 * are listed.  A reader that copies, compares or prints the text for each entry has gigabytes of work for a megabyte.
 *
 *	minidump-loader    20,000 entries of the loader share one name of 250,000 characters
 *	minidump-modules   names of 4,096 modules that begin one character apart in one text, and entries of the
 *	                   loader whose name differs from them in the last character
 *	minidump-threads   14,000 threads share one name
 *	minidump-names     each thread is named a thousand times
 *	minidump-controls  60,000 frames are in one module, whose name is 4,096 control characters
 *	minidump-debug     4,096 modules share one CodeView record of 400,000 bytes, which names a file
 *	minidump-ids       4,096 modules share one CodeView record of 400,000 bytes, which is a build ID
 *	core-threads       64 segments share one run of notes, of threads
 *	core-files         64 segments share one run of notes, of files
 *	core-links         entries of the dynamic linker's list share one name, and the list is a circle
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	STREAMS = 6,
	DIRECTORY = 32,
	CONTEXT = 1232,
	FLAGS_AT = 48,
	RSP_AT = 152,
	RBP_AT = 160,
	RIP_AT = 248,
	HEADER = 64,
	SEGMENT = 56,
	PAGE = 4096,
	STATUS = 336,
	MODULES = 4096,
};

static const uint64_t stack_at = 0x7f0000000000, code_at = 0x400000, data_at = 0x7e0000000000;

struct out {
	uint8_t *data;
	size_t size, capacity;
	unsigned streams;
};

static void put_zeros(struct out *out, size_t size)
{
	while (out->capacity - out->size < size) {
		out->capacity = out->capacity ? 2 * out->capacity : 1 << 20;
		out->data = realloc(out->data, out->capacity);
		if (!out->data)
			exit(EXIT_FAILURE);
	}
	memset(out->data + out->size, 0, size);
	out->size += size;
}

static void poke(struct out *out, size_t at, uint64_t value, size_t width)
{
	for (size_t i = 0; i < width; i++)
		out->data[at + i] = (uint8_t)(value >> 8 * i);
}

static void put(struct out *out, uint64_t value, size_t width)
{
	put_zeros(out, width);
	poke(out, out->size - width, value, width);
}

static void put_text(struct out *out, const char *text)
{
	while (*text)
		put(out, (uint8_t)*text++, 1);
}

/* `count` numbers of the same value. */
static void put_run(struct out *out, uint64_t value, size_t width, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put(out, value, width);
}

/* Frame records, each of which leads to the next. */
static void put_stack(struct out *out, size_t frames, uint64_t code, uint64_t step)
{
	for (size_t i = 0; i < frames; i++) {
		put(out, i + 1 < frames ? stack_at + 16 * (i + 1) : 0, 8);
		put(out, code + step * i, 8);
	}
}

static void begin_dump(struct out *out)
{
	put(out, 0x504d444d, 4);
	put(out, 0xa793, 4);
	put(out, STREAMS, 4);
	put(out, DIRECTORY, 4);
	put_zeros(out, 16 + 12 * STREAMS);
}

static size_t begin_stream(struct out *out, uint32_t type)
{
	const size_t entry = DIRECTORY + 12 * out->streams++;

	poke(out, entry, type, 4);
	poke(out, entry + 8, out->size, 4);
	return entry;
}

static void end_stream(struct out *out, size_t entry, size_t begin)
{
	poke(out, entry + 4, out->size - begin, 4);
}

static void put_system(struct out *out)
{
	const size_t entry = begin_stream(out, 7), begin = out->size;

	put(out, 9, 2);
	put_zeros(out, 18);
	put(out, 0x8201, 4);
	put_zeros(out, 32);
	end_stream(out, entry, begin);
}

/* A counted text of one character. */
static size_t put_name(struct out *out, uint16_t character, size_t length)
{
	const size_t at = out->size;

	put(out, 2 * length, 4);
	put_run(out, character, 2, length);
	return at;
}

/* Modules in a row, of which number i has its name at name + i * step. */
static void put_modules(struct out *out, size_t count, size_t name, size_t step, size_t codeview,
                        size_t codeview_size)
{
	const size_t entry = begin_stream(out, 4), begin = out->size;

	put(out, count, 4);
	for (size_t i = 0; i < count; i++) {
		put(out, code_at + i * PAGE, 8);
		put(out, PAGE, 4);
		put_zeros(out, 8);
		put(out, name + i * step, 4);
		put_zeros(out, 52);
		put(out, codeview_size, 4);
		put(out, codeview, 4);
		put_zeros(out, 24);
	}
	end_stream(out, entry, begin);
}

static size_t put_context(struct out *out)
{
	const size_t at = out->size;

	put_zeros(out, CONTEXT);
	poke(out, at + FLAGS_AT, 0x10001f, 4);
	poke(out, at + RSP_AT, stack_at, 8);
	poke(out, at + RBP_AT, stack_at, 8);
	poke(out, at + RIP_AT, code_at + 0x200, 8);
	return at;
}

/* Threads with one context and one stack of these frames. */
static void put_threads(struct out *out, size_t count, size_t frames)
{
	const size_t context = put_context(out), stack = out->size;

	put_stack(out, frames, code_at + 0x300, 0);
	const size_t entry = begin_stream(out, 3), begin = out->size;
	put(out, count, 4);
	for (size_t i = 0; i < count; i++) {
		put(out, i + 1, 4);
		put_zeros(out, 20);
		put(out, stack_at, 8);
		put(out, 16 * frames, 4);
		put(out, stack, 4);
		put(out, CONTEXT, 4);
		put(out, context, 4);
	}
	end_stream(out, entry, begin);
}

static void put_thread_names(struct out *out, size_t count, size_t threads, size_t name)
{
	const size_t entry = begin_stream(out, 24), begin = out->size;

	put(out, count, 4);
	for (size_t i = 0; i < count; i++) {
		put(out, i % threads + 1, 4);
		put(out, name, 8);
	}
	end_stream(out, entry, begin);
}

/* Entries of the loader without a gap, which the size of the stream shows. */
static void put_loader(struct out *out, size_t count, size_t name)
{
	const size_t map = out->size;

	for (size_t i = 0; i < count; i++) {
		put(out, 0x1000, 8);
		put(out, name, 4);
		put_zeros(out, 8);
	}
	const size_t entry = begin_stream(out, 0x4767000a), begin = out->size;
	put_zeros(out, 4);
	put(out, map, 4);
	put(out, count, 4);
	put_zeros(out, 24);
	end_stream(out, entry, begin);
}

static void make_loader(struct out *out)
{
	begin_dump(out);
	put_system(out);
	const size_t name = put_name(out, 'n', 250000);
	put_modules(out, 1, name, 0, 0, 0);
	put_threads(out, 1, 1);
	put_loader(out, 20000, name);
}

/* Any four bytes within the text are the length of another one. */
static void make_modules(struct out *out)
{
	begin_dump(out);
	put_system(out);
	const size_t other = put_name(out, 0x4141, 4096), names = out->size;
	poke(out, names - 2, 0x4242, 2);
	put_run(out, 0x4141, 2, 4096 + MODULES + 2);
	put_modules(out, MODULES, names, 2, 0, 0);
	put_threads(out, 1, 1);
	put_loader(out, 20000, other);
}

static void make_thread_names(struct out *out, size_t threads, size_t names)
{
	begin_dump(out);
	put_system(out);
	const size_t name = put_name(out, 0x4141, 4096);
	put_modules(out, 1, 0, 0, 0, 0);
	put_threads(out, threads, 1);
	put_thread_names(out, names, threads, name);
}

static void make_controls(struct out *out)
{
	begin_dump(out);
	put_system(out);
	const size_t name = put_name(out, 1, 4096);
	put_modules(out, 1, name, 0, 0, 0);
	put_threads(out, 1, 60000);
}

static void make_codeview(struct out *out, const char *signature)
{
	const size_t size = 400000;

	begin_dump(out);
	put_system(out);
	const size_t record = out->size;
	put_text(out, signature);
	put_run(out, 1, 1, size - 4);
	put_modules(out, MODULES, 0, 0, record, size);
	put_threads(out, 1, 1);
}

static void put_elf_header(struct out *out, uint16_t type, uint16_t segments)
{
	const size_t at = out->size;

	put_text(out, "\x7f"
	              "ELF\2\1\1");
	put_zeros(out, HEADER - 7);
	poke(out, at + 16, type, 2);
	poke(out, at + 18, 62, 2);
	poke(out, at + 20, 1, 4);
	poke(out, at + 32, HEADER, 8);
	poke(out, at + 54, SEGMENT, 2);
	poke(out, at + 56, segments, 2);
}

static void put_segment(struct out *out, uint32_t type, uint32_t flags, uint64_t offset,
                        uint64_t va, uint64_t size)
{
	put(out, type, 4);
	put(out, flags, 4);
	put(out, offset, 8);
	put(out, va, 8);
	put_zeros(out, 8);
	put(out, size, 8);
	put(out, size, 8);
	put_zeros(out, 8);
}

static size_t put_note(struct out *out, uint32_t type, size_t size)
{
	put(out, 5, 4);
	put(out, size, 4);
	put(out, type, 4);
	put_text(out, "CORE");
	put_zeros(out, 4);
	const size_t body = out->size;
	put_zeros(out, (size + 3) / 4 * 4);
	return body;
}

static void put_thread_note(struct out *out, uint32_t tid)
{
	const size_t body = put_note(out, 1, STATUS);

	poke(out, body + 32, tid, 4);
	poke(out, body + 112 + 4 * 8, stack_at, 8);
	poke(out, body + 112 + 16 * 8, code_at + 0x200, 8);
	poke(out, body + 112 + 19 * 8, stack_at, 8);
}

/* One mapping of a file after the other, all of the same file by its name. */
static void put_files_note(struct out *out, size_t count, const char *path)
{
	const size_t size = 16 + count * (24 + strlen(path) + 1);
	const size_t body = put_note(out, 0x46494c45, size), names = body + 16 + 24 * count;

	poke(out, body, count, 8);
	poke(out, body + 8, 1, 8);
	for (size_t i = 0; i < count; i++) {
		poke(out, body + 16 + 24 * i, code_at + i * PAGE, 8);
		poke(out, body + 24 + 24 * i, code_at + (i + 1) * PAGE, 8);
		memcpy(out->data + names + i * (strlen(path) + 1), path, strlen(path) + 1);
	}
}

/* A core whose segments of notes all lie over the same bytes, which come after them. */
static void make_shared_notes(struct out *out, size_t threads, size_t files)
{
	enum { RUNS = 64 };

	const size_t notes = HEADER + RUNS * SEGMENT;

	put_elf_header(out, 4, RUNS);
	for (size_t i = 0; i < RUNS; i++)
		put_segment(out, 4, 4, notes, 0, 0);
	for (size_t i = 0; i < threads; i++)
		put_thread_note(out, (uint32_t)i + 1);
	if (files > 0)
		put_files_note(out, files, "/n");
	for (size_t i = 0; i < RUNS; i++)
		poke(out, HEADER + i * SEGMENT + 32, out->size - notes, 8);
}

/* The list lies behind the dynamic section, in memory at `data_at`. */
static void put_links(struct out *out, size_t name)
{
	enum { ENTRIES = 8, DEBUG = 0x100, LIST = 0x200, NAME = 0x400 };

	const size_t begin = out->size;

	put_zeros(out, NAME);
	put_run(out, 1, 1, name);
	put(out, 0, 1);
	poke(out, begin, 6, 4);
	poke(out, begin + 16, data_at, 8);
	poke(out, begin + SEGMENT, 2, 4);
	poke(out, begin + SEGMENT + 16, data_at + 2 * SEGMENT, 8);
	poke(out, begin + 2 * SEGMENT, 21, 8);
	poke(out, begin + 2 * SEGMENT + 8, data_at + DEBUG, 8);
	poke(out, begin + DEBUG + 8, data_at + LIST, 8);
	for (size_t i = 0; i < ENTRIES; i++) {
		const size_t entry = begin + LIST + i * 40;
		poke(out, entry, i << 40, 8);
		poke(out, entry + 8, data_at + NAME, 8);
		poke(out, entry + 16, 0x1000 + i, 8);
		poke(out, entry + 24, data_at + LIST + (i + 1) % ENTRIES * 40, 8);
	}
}

static void make_links(struct out *out)
{
	const size_t name = 4000, modules = 4000;
	const size_t notes = HEADER + (modules + 2) * SEGMENT, auxv = 3 * 16;
	const size_t notes_size = 20 + STATUS + 20 + auxv, page = notes + notes_size;

	put_elf_header(out, 4, (uint16_t)(modules + 2));
	put_segment(out, 4, 4, notes, 0, notes_size);
	put_segment(out, 1, 6, page + PAGE, data_at, 0x400 + name + 1);
	for (size_t i = 0; i < modules; i++)
		put_segment(out, 1, 5, page, code_at + i * PAGE, PAGE);
	put_thread_note(out, 1);
	const size_t body = put_note(out, 6, auxv);
	poke(out, body, 3, 8);
	poke(out, body + 8, data_at, 8);
	poke(out, body + 16, 5, 8);
	poke(out, body + 24, 2, 8);
	put_elf_header(out, 3, 1);
	put_segment(out, 1, 5, 0, 0, PAGE);
	put_zeros(out, PAGE - HEADER - SEGMENT);
	put_links(out, name);
}

static bool make(struct out *out, const char *kind)
{
	if (strcmp(kind, "minidump-loader") == 0)
		make_loader(out);
	else if (strcmp(kind, "minidump-modules") == 0)
		make_modules(out);
	else if (strcmp(kind, "minidump-threads") == 0)
		make_thread_names(out, 14000, 14000);
	else if (strcmp(kind, "minidump-names") == 0)
		make_thread_names(out, 60, 60000);
	else if (strcmp(kind, "minidump-controls") == 0)
		make_controls(out);
	else if (strcmp(kind, "minidump-debug") == 0)
		make_codeview(out, "RSDS");
	else if (strcmp(kind, "minidump-ids") == 0)
		make_codeview(out, "LEpB");
	else if (strcmp(kind, "core-threads") == 0)
		make_shared_notes(out, 2500, 0);
	else if (strcmp(kind, "core-files") == 0)
		make_shared_notes(out, 1, 33000);
	else if (strcmp(kind, "core-links") == 0)
		make_links(out);
	return out->size > 0;
}

int main(int argc, char **argv)
{
	struct out out = { .data = NULL };

	if (argc < 2) {
		puts("minidump-loader\nminidump-modules\nminidump-threads\nminidump-names\n"
		     "minidump-controls\n"
		     "minidump-debug\nminidump-ids\ncore-threads\ncore-files\n"
		     "core-links");
		return EXIT_SUCCESS;
	}
	if (!make(&out, argv[1]) || fwrite(out.data, 1, out.size, stdout) != out.size)
		return EXIT_FAILURE;
	free(out.data);
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
