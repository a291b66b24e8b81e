/* SPDX-License-Identifier: MIT */
/*
 * Tests stacks of which no code can be read: callers that nothing proves are marked, and memory that must not be executed
 * ends a stack. Minidumps of Windows and Linux are made, and a chain of frame pointers leads through their stacks.
 */
#include "unit.h"

#include "fixture_minidump.h"

enum {
	STACK = 0x7000,
	PROGRAM = 0x400000,
	LIBRARY = 0x600000,
	HEAP = 0x900000,
	MADE = 0xa00000,
	SIZE = 0x1000,
	SLOTS = 16,
	WINDOWS = 2,
	LINUX = 0x8201,
	INTEL = 0,
	AMD64 = 9,
	OUTERMOST = CAIRN_STACK_OUTERMOST,
	UNKNOWN = CAIRN_STACK_UNKNOWN,
};

/* Words of the heap and of generated code are in the dump, and only the second may be executed. */
static const char maps[] = "900000-901000 rw-p 00000000 00:00 0 [heap]\n"
			   "a00000-a01000 rwxp 00000000 00:00 0 \n";

static const struct row {
	const char *name, *maps;
	uint16_t processor;
	uint32_t platform;
	uint64_t callers[2]; /* return addresses along the chain; 0: the stack ends before */
	bool has_code; /* that of both modules can be read, and does not show where it returns to */
	unsigned guessed; /* a bit for each frame */
	size_t frames;
	int end;
} rows[] = {
	/* the innermost function may not have set up its frame, and then the chain leads past its caller */
	{ "Windows, x86", NULL, INTEL, WINDOWS, { LIBRARY + 0x20 }, true, 2, 2, OUTERMOST },
	{ "Windows, x86, two callers",
	  NULL,
	  INTEL,
	  WINDOWS,
	  { LIBRARY + 0x20, PROGRAM + 0x30 },
	  true,
	  2,
	  3,
	  OUTERMOST },
	{ "Windows, x86, no code",
	  NULL,
	  INTEL,
	  WINDOWS,
	  { LIBRARY + 0x20, PROGRAM + 0x30 },
	  false,
	  6,
	  3,
	  OUTERMOST },
	{ "Linux, x86", NULL, INTEL, LINUX, { LIBRARY + 0x20 }, true, 2, 2, OUTERMOST },
	{ "Windows, amd64",
	  NULL,
	  AMD64,
	  WINDOWS,
	  { LIBRARY + 0x20, PROGRAM + 0x30 },
	  true,
	  2,
	  3,
	  OUTERMOST },
	{ "generated code",
	  maps,
	  AMD64,
	  LINUX,
	  { LIBRARY + 0x20, MADE + 0x80 },
	  true,
	  2,
	  3,
	  OUTERMOST },
	/* a pointer to data where the return address of the first function would be */
	{ "heap", maps, AMD64, LINUX, { LIBRARY + 0x20, HEAP + 0x80 }, true, 2, 2, UNKNOWN },
	{ "heap, no code",
	  maps,
	  AMD64,
	  LINUX,
	  { LIBRARY + 0x20, HEAP + 0x80 },
	  false,
	  2,
	  2,
	  UNKNOWN },
	{ "heap, x86", maps, INTEL, LINUX, { LIBRARY + 0x20, HEAP + 0x80 }, true, 2, 2, UNKNOWN },
	{ "no list of mappings",
	  NULL,
	  AMD64,
	  LINUX,
	  { LIBRARY + 0x20, HEAP + 0x80 },
	  true,
	  2,
	  3,
	  OUTERMOST },
};

static struct fixture_minidump made;

static void put_memory(uint64_t address, struct fixture_minidump_part part)
{
	fixture_out_put(&made.out, address, 8);
	fixture_minidump_point(&made, part);
}

/* Records of a frame pointer and a return address, one above the other. The last one has no frame pointer. */
static struct fixture_minidump_part put_stack(const struct row *row, size_t word)
{
	uint8_t bytes[SLOTS * 8] = { 0 };
	uint64_t slots[SLOTS] = { 0 };

	for (size_t i = 0; i < COUNT(row->callers) && row->callers[i]; i++) {
		if (i > 0)
			slots[2 * i] = STACK + (2 + 2 * i) * word;
		slots[3 + 2 * i] = row->callers[i];
	}
	for (size_t i = 0; i < SLOTS * word; i++)
		bytes[i] = (uint8_t)(slots[i / word] >> 8 * (i % word));
	return fixture_minidump_bytes(&made, bytes, SLOTS * word);
}

static struct cairn_bytes make_dump(const struct row *row)
{
	const struct fixture_minidump_part none = { 0, 0 };
	uint8_t page[SIZE];
	const size_t word = row->processor == INTEL ? 4 : 8;
	uint64_t values[34] = { 0 };

	for (size_t i = 0; i < SIZE; i += 2)
		memcpy(page + i, "\xff\xe0", 2); /* jmp *%rax, which leads anywhere */
	values[row->processor == INTEL ? 4 : 7] = STACK;
	values[row->processor == INTEL ? 5 : 6] = STACK + 2 * word;
	values[33] = PROGRAM + 0x10;
	fixture_minidump_begin(&made, false);
	fixture_minidump_system(&made, row->processor, row->platform);
	const struct fixture_minidump_part stack = put_stack(row, word),
					   memory = fixture_minidump_bytes(&made, page, SIZE),
					   context = fixture_minidump_context(
						   &made,
						   row->processor == INTEL ? FIXTURE_MINIDUMP_X86
									   : FIXTURE_MINIDUMP_AMD64,
						   values);
	const size_t program = fixture_minidump_text(&made, "a.exe"),
		     library = fixture_minidump_text(&made, "b.dll");
	fixture_minidump_open(&made, 3);
	fixture_out_put(&made.out, 1, 4);
	fixture_minidump_thread(&made, 7, STACK, stack, context);
	fixture_minidump_close(&made);
	fixture_minidump_open(&made, 4);
	fixture_out_put(&made.out, 2, 4);
	fixture_minidump_module(&made, PROGRAM, SIZE, program, none);
	fixture_minidump_module(&made, LIBRARY, SIZE, library, none);
	fixture_minidump_close(&made);
	fixture_minidump_open(&made, 5);
	fixture_out_put(&made.out, row->has_code ? 5 : 3, 4);
	put_memory(STACK, stack);
	put_memory(HEAP, memory);
	put_memory(MADE, memory);
	if (row->has_code) {
		put_memory(PROGRAM, memory);
		put_memory(LIBRARY, memory);
	}
	fixture_minidump_close(&made);
	if (row->maps) {
		fixture_minidump_open(&made, 0x47670009);
		fixture_out_text(&made.out, row->maps, strlen(row->maps));
		fixture_minidump_close(&made);
	}
	return unit_exact(fixture_minidump_finish(&made));
}

START_TEST(marks_callers)
{
	struct cairn_symbolizer_options search = CAIRN_SYMBOLIZER_OPTIONS;
	struct cairn_stacks_options options = CAIRN_STACKS_OPTIONS;
	const struct row *row = &rows[_i];
	unsigned guessed = 0;
	size_t frames = 0;
	struct cairn_stack_frame frame = CAIRN_SIZED(struct cairn_stack_frame);
	struct cairn_stack_end end = CAIRN_SIZED(struct cairn_stack_end);
	struct cairn_stacks *stacks;
	struct cairn_error error;

	search.sysroot = "/nowhere";
	search.skip = CAIRN_SKIP_SYSTEM;
	options.search = &search;
	options.bytes = make_dump(row);
	ck_assert_int_eq(cairn_stacks_open(&options, &stacks, &error), CAIRN_OK);
	ck_assert(cairn_stacks_begin(stacks, 0));
	do {
		cairn_stacks_frame(stacks, &frame);
		ck_assert_msg(frame.pc == (frames ? row->callers[frames - 1] : PROGRAM + 0x10),
		              "%s: #%zu 0x%llx", row->name, frames, (unsigned long long)frame.pc);
		guessed |= (unsigned)frame.guessed << frames++;
	} while (cairn_stacks_next(stacks));
	cairn_stacks_end(stacks, &end);
	ck_assert_msg(frames == row->frames, "%s: %zu frames", row->name, frames);
	ck_assert_msg(guessed == row->guessed, "%s: 0x%x guessed", row->name, guessed);
	ck_assert_msg((int)end.kind == row->end, "%s: %s", row->name, end.name);
	cairn_stacks_close(stacks);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unproven_stacks");
	TCase *tests = tcase_create("unproven_stacks");

	tcase_add_loop_test(tests, marks_callers, 0, COUNT(rows));
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
