/* SPDX-License-Identifier: MIT */
/*
 * Hostile cores of Swift programs, with a library that stands for Swift's concurrency runtime.
 *
 *	swift_bombs                 list the kinds
 *	swift_bombs KIND LIBRARY    write the library to LIBRARY, and the core to standard output
 *
 * The library has the variables that describe tasks, and one async function. The kinds:
 *
 *	million      1,100,000 suspended tasks, which overlap
 *	running      100,000 tasks of 32 bytes each, which claim to run, with names that do not end
 *	chains       20,000 tasks, each with the same 60,000 contexts
 *	cycles       20,000 tasks whose contexts form a cycle
 *	unreadable   20,000 tasks whose contexts are in memory that the core lacks
 *	records      20,000 tasks whose status records form a cycle
 *	waits        20,000 tasks, each waiting for the next one and child of the next one
 *	actors       20,000 tasks that wait for actors of 20,000 classes
 *	frames       2,000 threads that share a stack of large frames of the async function, full of contexts
 *	functions    threads with frames in 4,000 functions that may be async, in a table of 100,000 symbols
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAGE = 4096,
	HEADER = 64,
	SEGMENT = 56,
	SECTION = 64,
	SYMBOL = 24,
	STATUS = 336,
	NOTE = 20 + STATUS,
	TASK_SIZE = 208,
	NAMED = 1 << 30,
	CHILD = 1 << 24,
	RUNNING = 0x800,
	WAITING = 0x4000,

	TEXT = PAGE, /* functions of the library */
	FUNCTION = 16,
	FUNCTIONS = 4000,
	TEXT_SIZE = 16 * PAGE,
	DATA = TEXT + TEXT_SIZE,
	STRINGS = DATA + PAGE,
};

static const uint64_t library_at = 0x400000, heap_at = 0x10000000, stack_at = 0x7f0000000000;
static const uint64_t isa = 0x50100800; /* also flags and status of tasks that overlap */

static struct {
	uint8_t *bytes;
	size_t size;
} heap, stack, library;

static void put(uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void *allocate(size_t size)
{
	void *memory = calloc(1, size);

	if (!memory)
		exit(EXIT_FAILURE);
	return memory;
}

static void write_bytes(FILE *out, const void *bytes, size_t size)
{
	if (size > 0 && fwrite(bytes, 1, size, out) != size)
		exit(EXIT_FAILURE);
}

static void put_header(uint8_t *at, uint16_t type, uint16_t segments)
{
	static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };

	memcpy(at, ident, sizeof(ident));
	put(at + 16, type, 2);
	put(at + 18, 62, 2);
	put(at + 20, 1, 4);
	put(at + 32, HEADER, 8);
	put(at + 54, SEGMENT, 2);
	put(at + 56, segments, 2);
}

static void put_segment(uint8_t *at, uint32_t type, uint32_t flags, uint64_t offset, uint64_t va,
                        uint64_t size)
{
	put(at, type, 4);
	put(at + 4, flags, 4);
	put(at + 8, offset, 8);
	put(at + 16, va, 8);
	put(at + 32, size, 8);
	put(at + 40, size, 8);
}

static void put_section(uint8_t *at, uint32_t name, uint32_t type, uint64_t offset, uint64_t size,
                        uint32_t link, uint64_t entry)
{
	put(at, name, 4);
	put(at + 4, type, 4);
	put(at + 16, type == 3 ? 0 : offset, 8);
	put(at + 24, offset, 8);
	put(at + 32, size, 8);
	put(at + 40, link, 4);
	put(at + 56, entry, 8);
}

/* Create the library, with `more` further symbols. Their names are ends of one long string. */
static void make_library(size_t more)
{
	static const char *const variables[] = { "internal_layout_version",
		                                 "asyncTaskMetadata",
		                                 "asyncTaskSize",
		                                 "future_adapter",
		                                 "non_future_adapter",
		                                 "task_future_wait_resume_adapter",
		                                 "task_wait_throwing_resume_adapter" };
	enum { VARIABLES = sizeof(variables) / sizeof(*variables), LONG = 4000 };
	static const char names[] = "\0.dynsym\0.dynstr\0$s1fTY0_";
	const uint64_t values[VARIABLES] = { 1, isa, TASK_SIZE };
	char text[1 << 14];
	size_t size = sizeof(names);
	uint64_t name[VARIABLES];

	memcpy(text, names, sizeof(names));
	for (size_t i = 0; i < VARIABLES; i++) {
		name[i] = size;
		size += (size_t)snprintf(text + size, sizeof(text) - size,
		                         "_swift_concurrency_debug_%s", variables[i]) +
		        1;
	}
	const size_t long_name = size;
	for (size_t i = 0; i < LONG; i += 2)
		memcpy(text + size + i, "$s", 2);
	size += LONG;
	text[size++] = 0;

	const size_t symbols = STRINGS + (size + PAGE - 1) / PAGE * PAGE;
	const size_t count = 2 + VARIABLES + more, sections = symbols + count * SYMBOL;
	library.size = sections + 3 * SECTION;
	library.bytes = allocate(library.size);
	put_header(library.bytes, 3, 2);
	put(library.bytes + 40, sections, 8);
	put(library.bytes + 58, SECTION, 2);
	put(library.bytes + 60, 3, 2);
	put(library.bytes + 62, 2, 2);
	put_segment(library.bytes + HEADER, 1, 5, 0, 0, DATA);
	put_segment(library.bytes + HEADER + SEGMENT, 1, 6, DATA, DATA, PAGE);
	memcpy(library.bytes + STRINGS, text, size);
	put_section(library.bytes + sections + SECTION, 1, 11, symbols, count * SYMBOL, 2, SYMBOL);
	put_section(library.bytes + sections + 2 * SECTION, 9, 3, STRINGS, size, 0, 0);
	uint8_t *at = library.bytes + symbols;
	for (size_t i = 1; i < count; i++) {
		at += SYMBOL;
		at[4] = i < 2 + VARIABLES && i > 1 ? 0x11 : 0x12;
		put(at + 6, 1, 2);
		if (i == 1) {
			put(at, 17, 4);
			put(at + 8, TEXT, 8);
			put(at + 16, more ? FUNCTION : TEXT_SIZE, 8);
		} else if (i < 2 + VARIABLES) {
			put(at, name[i - 2], 4);
			put(at + 8, DATA + 8 * (i - 2), 8);
			put(at + 16, 8, 8);
			put(library.bytes + DATA + 8 * (i - 2), values[i - 2], 8);
		} else {
			const size_t k = i - 2 - VARIABLES;
			put(at, long_name + k % (LONG / 4) * 2, 4);
			put(at + 8, TEXT + FUNCTION * (1 + k % FUNCTIONS), 8);
			put(at + 16, FUNCTION, 8);
		}
	}
}

static void make_heap(size_t size)
{
	heap.size = size;
	heap.bytes = allocate(size);
}

/* A task at an offset of the heap, that resumes in the library. */
static uint8_t *put_task(size_t at, uint64_t id, uint32_t flags, uint32_t status, uint64_t context)
{
	uint8_t *task = heap.bytes + at;

	put(task, isa, 8);
	put(task + 32, flags, 4);
	put(task + 36, id, 4);
	put(task + 56, library_at + TEXT, 8);
	put(task + 64, context, 8);
	put(task + 96, status, 4);
	return task;
}

static void put_context(size_t at, uint64_t parent)
{
	put(heap.bytes + at, parent, 8);
	put(heap.bytes + at + 8, library_at + TEXT, 8);
}

/* Each 80 bytes are a task, its context, and parts of the previous tasks. */
static void make_million(void)
{
	enum { COUNT = 1100000, STRIDE = 80 };

	make_heap((size_t)COUNT * STRIDE + PAGE);
	for (size_t i = 0; i < COUNT; i++) {
		uint8_t *task = heap.bytes + i * STRIDE;
		put(task, isa, 8);
		put(task + 16, WAITING, 8); /* status of the previous task */
		put_context(i * STRIDE + 32, 0);
		put(task + 56, library_at + TEXT, 8);
		/* the upper half of the previous task's ID, too */
		put(task + 64, heap_at + (i + 3) * STRIDE + 32, 8);
	}
}

/* The flags and the status of each task are the isa of another. */
static void make_running(void)
{
	enum { COUNT = 100000, STRIDE = 32 };

	make_heap((size_t)COUNT * STRIDE + PAGE);
	for (size_t i = 0; i < COUNT; i++) {
		uint8_t *task = heap.bytes + i * STRIDE;
		put(task, isa, 8);
		put(task + 8, heap_at + (size_t)COUNT * STRIDE, 8);
		put(task + 16, i, 8);
		put(task + 24, library_at + TEXT, 8);
	}
	uint8_t *record = heap.bytes + (size_t)COUNT * STRIDE;
	put(record, 6, 8);
	put(record + 16, heap_at + (size_t)COUNT * STRIDE + 64, 8);
	memset(record + 64, '\x1b', PAGE - 64);
}

enum { TASKS = 20000, STRIDE = 256, TABLE = TASKS * STRIDE };

/* Tasks whose contexts end behind them, after `length` that they share, or in a cycle. */
static void make_chains(size_t length, uint64_t outermost)
{
	make_heap(TABLE + length * 16);
	for (size_t i = 0; i < TASKS; i++) {
		put_task(i * STRIDE, i, 0, i % 2 ? RUNNING : WAITING, heap_at + TABLE);
		put_context(i * STRIDE + TASK_SIZE, 0);
	}
	for (size_t i = 0; i < length; i++)
		put_context(TABLE + i * 16,
		            i + 1 < length ? heap_at + TABLE + (i + 1) * 16 : outermost);
}

static void make_unreadable(void)
{
	make_heap(TABLE);
	for (size_t i = 0; i < TASKS; i++)
		put_task(i * STRIDE, i, 0, i % 2 ? RUNNING : WAITING,
		         i % 4 < 2 ? UINT64_MAX - 15 : stack_at + ((uint64_t)1 << 30));
}

static void make_plain_tasks(uint32_t flags)
{
	make_heap(2 * TABLE);
	for (size_t i = 0; i < TASKS; i++) {
		put_task(i * STRIDE, i, flags, WAITING, heap_at + i * STRIDE + TASK_SIZE + 16);
		put_context(i * STRIDE + TASK_SIZE + 16, 0);
	}
}

static void make_records(void)
{
	make_plain_tasks(NAMED);
	for (size_t i = 0; i < TASKS; i++) {
		put(heap.bytes + i * STRIDE + 104, heap_at + TABLE + i * 32, 8);
		put(heap.bytes + TABLE + i * 32, 3, 8);
		put(heap.bytes + TABLE + i * 32 + 8, heap_at + TABLE + (i + 1) % TASKS * 32, 8);
	}
}

/* Tasks that wait: for the next task, whose child they are, or for an actor. */
static void make_waits(uint32_t wait)
{
	make_plain_tasks(CHILD);
	for (size_t i = 0; i < TASKS; i++) {
		const uint64_t next = heap_at + (i + 1) % TASKS * STRIDE;
		uint8_t *record = heap.bytes + TABLE + i * 64;
		put(heap.bytes + i * STRIDE + 160, heap_at + TABLE + i * 64, 8);
		put(heap.bytes + i * STRIDE + TASK_SIZE, next, 8);
		put(record + 16, wait == 1 ? next : heap_at + TABLE + i * 64 + 48, 8);
		put(record + 32, wait, 4);
		put(record + 48, library_at + TEXT + i % (TEXT_SIZE / 2),
		    8); /* class of the actor */
	}
}

/* Frame records `size` bytes apart. Words between them point to contexts in a cycle. */
static void make_stack(size_t frames, size_t size, uint64_t step)
{
	stack.size = frames * size;
	stack.bytes = allocate(stack.size);
	for (size_t i = 0; i + 8 <= stack.size; i += 8)
		put(stack.bytes + i, heap_at + TABLE + i % 4096 * 2, 8);
	for (size_t i = 0; i < frames; i++) {
		uint8_t *record = stack.bytes + i * size;
		put(record, i + 1 < frames ? stack_at + (i + 1) * size : 0, 8);
		put(record + 8, library_at + TEXT + 8 + step * (i % FUNCTIONS), 8);
	}
}

/* The core: threads at the first frame record, the file, and the memory. */
static void write_core(uint32_t threads)
{
	static const char path[] = "/lib/libswift_Concurrency.so";
	enum { FILES = 20 + 40 + 32, SEGMENTS = 5 };
	const uint64_t notes = (uint64_t)threads * NOTE + FILES;
	const uint64_t offset = HEADER + SEGMENTS * SEGMENT + notes;
	uint8_t header[HEADER + SEGMENTS * SEGMENT] = { 0 }, *segment = header + HEADER;
	uint8_t files[FILES] = { 5,   0,   0,   0,   FILES - 20, 0,   0,   0,
		                 'E', 'L', 'I', 'F', 'C',        'O', 'R', 'E' };

	put_header(header, 4, SEGMENTS);
	put_segment(segment, 4, 4, HEADER + SEGMENTS * SEGMENT, 0, notes);
	put_segment(segment += SEGMENT, 1, 5, offset, library_at, PAGE);
	put(segment + 40, DATA, 8);
	put_segment(segment += SEGMENT, 1, 6, offset + PAGE, library_at + DATA, PAGE);
	put_segment(segment += SEGMENT, 1, 6, offset + 2 * PAGE, heap_at, heap.size);
	put_segment(segment + SEGMENT, 1, 6, offset + 2 * PAGE + heap.size, stack_at, stack.size);
	write_bytes(stdout, header, sizeof(header));
	for (uint32_t i = 0; i < threads; i++) {
		uint8_t note[NOTE] = { 5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 'C', 'O', 'R', 'E' };
		put(note + 4, STATUS, 4);
		put(note + 20 + 32, i + 1, 4);
		put(note + 20 + 112 + 8, heap_at + TABLE, 8); /* r14 */
		put(note + 20 + 112 + 32, stack_at, 8);       /* rbp */
		put(note + 20 + 112 + 128, library_at + TEXT + 8, 8);
		put(note + 20 + 112 + 152, stack_at, 8); /* rsp */
		write_bytes(stdout, note, sizeof(note));
	}
	put(files + 20, 1, 8);
	put(files + 28, PAGE, 8);
	put(files + 36, library_at, 8);
	put(files + 44, library_at + STRINGS, 8);
	memcpy(files + 60, path, sizeof(path));
	write_bytes(stdout, files, sizeof(files));
	write_bytes(stdout, library.bytes, PAGE);
	write_bytes(stdout, library.bytes + DATA, PAGE);
	write_bytes(stdout, heap.bytes, heap.size);
	write_bytes(stdout, stack.bytes, stack.size);
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = {
		"million", "running", "chains", "cycles", "unreadable",
		"records", "waits",   "actors", "frames", "functions"
	};
	enum { KINDS = sizeof(kinds) / sizeof(*kinds), CYCLE = 60000 };
	uint32_t threads = 1;
	unsigned kind = 0;

	if (argc < 3) {
		for (size_t i = 0; i < KINDS; i++)
			puts(kinds[i]);
		return EXIT_SUCCESS;
	}
	while (kind < KINDS && strcmp(kinds[kind], argv[1]) != 0)
		kind++;
	make_library(kind == 9 ? 100000 : 0);
	switch (kind) {
	case 0:
		make_million();
		break;
	case 1:
		make_running();
		break;
	case 2:
		make_chains(CYCLE, heap_at + TASK_SIZE);
		break;
	case 4:
		make_unreadable();
		break;
	case 5:
		make_records();
		break;
	case 6:
	case 7:
		make_waits(kind == 6 ? 1 : 4);
		break;
	case 3:
	case 8:
	case 9:
		make_chains(CYCLE, heap_at + TABLE);
		break;
	default:
		return EXIT_FAILURE;
	}
	threads = kind == 8 ? 2000 : 1;
	if (kind == 9)
		make_stack(FUNCTIONS, 16, FUNCTION);
	else
		make_stack(kind == 8 ? 100 : 1, 1 << 15, 0);
	FILE *out = fopen(argv[2], "w");
	if (!out)
		return EXIT_FAILURE;
	write_bytes(out, library.bytes, library.size);
	write_core(threads);
	free(heap.bytes);
	free(stack.bytes);
	free(library.bytes);
	return fclose(out) == 0 && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
