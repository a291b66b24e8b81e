/* SPDX-License-Identifier: MIT */
/* Async callers of a frame in a space: a runtime found in memory, and memory that lies. */
#include "formats/elf/elf.h"
#include "unwind/step/swift_tasks.h"
#include "unwind/tables/program_files.h"

#include "fake_target.h"
#include "fixture_elf.h"
#include "unit.h"

enum {
	RUNTIME = 0x10000000,
	PROGRAM = 0x20000000,
	HEAP = 0x30000000,
	HEAP_SIZE = 0x10000,
	SIZE = 0x4000,
	CODE = 0x1000,
	DYNAMIC = 0x2000,
	HASH = 0x2200,
	SYMBOLS = 0x2400,
	STRINGS = 0x2800,
	VARIABLES = 0x3800,
	TASK = HEAP + 0x100,
	OUTERMOST = TASK + 0x100,
	CONTEXT = HEAP + 0x800,
	STACK = HEAP + 0xf00,
	LONG_CHAIN = HEAP + 0x1000,
	LONG_STACK = HEAP + 0x7000,
	ISA = 0x7700,
	RUNNING = 0x800,
	AMD64_CONTEXT = 14,
	AMD64_SP = 7,
	AARCH64_CONTEXT = 22,
	FUNCLET = PROGRAM + CODE,
	PLAIN = PROGRAM + CODE + 0x40,
	POINTED = PROGRAM + CODE + 0x80,
	AWAITED = PROGRAM + CODE + 0xc0,
	FUNCTION_SIZE = 0x40,
	READS_MAX = 20000,
};

static struct fake_target world;
static struct fixture_out runtime_image, program_image, heap;
static struct cairn_space *space;
static struct cairn_registers frame;
static struct cairn_step step;

static void put(uint64_t address, uint64_t value, size_t size)
{
	fixture_out_poke(&heap, (size_t)(address - HEAP), value, size);
}

static void put_context(uint64_t address, uint64_t parent, uint64_t resume)
{
	put(address, parent, 8);
	put(address + 8, resume, 8);
}

static void make_image(struct fixture_out *image, bool has_dynamic, uint16_t machine)
{
	const struct fake_target_segment segments[] = {
		{ ELF_PT_LOAD, ELF_PF_READ | ELF_PF_EXECUTE, 0, 0, DYNAMIC },
		{ ELF_PT_LOAD, ELF_PF_READ | ELF_PF_WRITE, DYNAMIC, DYNAMIC, SIZE - DYNAMIC },
		{ ELF_PT_DYNAMIC, ELF_PF_READ, DYNAMIC, DYNAMIC, 0x100 },
	};
	const struct fake_target_elf elf = { ELF_TYPE_DYN, machine,          0,       false,
		                             true,         2u + has_dynamic, segments };

	image->size = 0;
	fake_target_elf(image, &elf);
	memset(image->data + image->size, 0, SIZE - image->size);
	image->size = SIZE;
}

/* The runtime's variables, in a table of one bucket. `bias` is 0 if nothing relocated the table. */
static void put_variables(uint64_t bias)
{
	static const uint64_t value[SWIFT_VARIABLES] = {
		SWIFT_LAYOUT_FIRST, ISA, SWIFT_TASK_SIZE, 1, 2, 3, 4
	};
	struct fixture_out *o = &runtime_image;
	const uint64_t dynamic[] = {
		5, bias + STRINGS, 6, bias + SYMBOLS, 0x6ffffef5, bias + HASH
	};
	size_t text = STRINGS + 1;

	for (unsigned i = 0; i < COUNT(dynamic); i++)
		fixture_out_poke(o, DYNAMIC + 8 * i, dynamic[i], 8);
	for (unsigned i = 0; i < 3; i++)
		fixture_out_poke(o, HASH + 4 * i, 1, 4);
	fixture_out_poke(o, HASH + 24, 1, 4);
	for (unsigned i = 0; i < SWIFT_VARIABLES; i++) {
		const char *name = swift_variable_names[i];
		const size_t symbol = SYMBOLS + 24 * (i + 1);
		uint32_t hash = 5381;
		for (const char *c = name; *c; c++)
			hash = hash * 33 + (uint8_t)*c;
		fixture_out_poke(o, HASH + 28 + 4 * i, (hash & ~1u) | (i + 1 == SWIFT_VARIABLES),
		                 4);
		fixture_out_poke(o, symbol, text - STRINGS, 4);
		fixture_out_poke(o, symbol + 6, 9, 2);
		fixture_out_poke(o, symbol + 8, VARIABLES + 8 * i, 8);
		memcpy(o->data + text, name, strlen(name) + 1);
		text += strlen(name) + 1;
		fixture_out_poke(o, VARIABLES + 8 * i, value[i], 8);
	}
}

static void open_space(void)
{
	cairn_space_free(space);
	space = cairn_space_new(&world.target);
	ck_assert_ptr_nonnull(space);
	world.reads = 0;
}

static void make(uint16_t machine)
{
	const bool is_amd64 = machine == ELF_EM_X86_64;

	fake_target_init(&world);
	make_image(&runtime_image, true, machine);
	make_image(&program_image, false, machine);
	put_variables(RUNTIME);
	memset(heap.data, 0, HEAP_SIZE);
	heap.size = HEAP_SIZE;
	put(TASK, ISA, 8);
	put(TASK + 36, 7, 4);
	put(TASK + 56, FUNCLET, 8);
	put(TASK + 96, RUNNING, 4);
	put_context(OUTERMOST, 0, RUNTIME + CODE + 8);
	put_context(CONTEXT, OUTERMOST, PROGRAM + CODE + 0x90);
	fake_target_map(&world, RUNTIME, runtime_image.data, SIZE);
	fake_target_map(&world, PROGRAM, program_image.data, SIZE);
	fake_target_map(&world, HEAP, heap.data, HEAP_SIZE);
	frame = (struct cairn_registers){ .machine = is_amd64 ? CAIRN_MACHINE_AMD64
		                                              : CAIRN_MACHINE_AARCH64,
		                          .pc = FUNCLET + 8 };
	frame.value[is_amd64 ? AMD64_CONTEXT : AARCH64_CONTEXT] = CONTEXT;
	frame.known = UINT64_C(1) << (is_amd64 ? AMD64_CONTEXT : AARCH64_CONTEXT);
	step = (struct cairn_step){ .stop = CAIRN_STOP_NONE, .cfa = STACK + 0x40 };
	step.caller = frame;
	step.caller.pc = RUNTIME + CODE + 0x10;
	open_space();
}

static void setup(void)
{
	make(ELF_EM_X86_64);
}

static void teardown(void)
{
	cairn_space_free(space);
	space = NULL;
}

static enum cairn_status find(uint64_t inner, struct cairn_async_callers *callers)
{
	return cairn_find_async_callers(space, &frame, CAIRN_FRAME_RETURN, &step, inner, callers);
}

static void check_found(void)
{
	struct cairn_async_callers callers;

	ck_assert_int_eq(find(0, &callers), CAIRN_OK);
	ck_assert_uint_eq(callers.count, 2);
	ck_assert_uint_eq(callers.pc[0], PROGRAM + CODE + 0x90);
	ck_assert_uint_eq(callers.pc[1], RUNTIME + CODE + 8);
	ck_assert_uint_eq(callers.task, TASK);
}

START_TEST(finds_callers)
{
	struct cairn_async_callers callers;

	check_found();
	ck_assert(cairn_space_wants_async(space, &frame, CAIRN_FRAME_RETURN, &step));
	/* the task of an inner frame */
	ck_assert_int_eq(find(TASK, &callers), CAIRN_NOT_FOUND);
	ck_assert_uint_eq(callers.count, 0);
	/* addresses in the table that nothing relocated */
	put_variables(0);
	open_space();
	check_found();
	/* in another register, and on the stack */
	frame.known = UINT64_C(1) << 3;
	frame.value[3] = CONTEXT;
	check_found();
	frame.known = UINT64_C(1) << AMD64_SP;
	frame.value[AMD64_SP] = STACK;
	put(STACK + 0x20, CONTEXT, 8);
	check_found();
}
END_TEST

START_TEST(finds_callers_on_aarch64)
{
	make(ELF_EM_AARCH64);
	check_found();
}
END_TEST

/* Each names what is wrong, so that there are no callers. */
START_TEST(finds_nothing)
{
	struct cairn_async_callers callers;

	switch (_i) {
	case 0: /* not called by the runtime */
		step.caller.pc = PROGRAM + CODE + 0x10;
		break;
	case 1: /* no caller */
		step.stop = CAIRN_STOP_OUTERMOST;
		break;
	case 2: /* a frame of the runtime itself */
		frame.pc = RUNTIME + CODE + 0x20;
		break;
	case 3: /* a caller that resumes in data */
		put(CONTEXT + 8, PROGRAM + DYNAMIC, 8);
		break;
	case 4: /* no task */
		put(TASK, ISA + 8, 8);
		break;
	case 5: /* a circle of contexts */
		put(OUTERMOST, CONTEXT, 8);
		break;
	case 6: /* a variable that the library only uses */
		fixture_out_poke(&runtime_image, SYMBOLS + 24 + 6, 0, 2);
		break;
	default: /* another machine */
		step.caller.machine = CAIRN_MACHINE_RISCV64;
	}
	ck_assert_int_eq(find(0, &callers), CAIRN_NOT_FOUND);
	ck_assert_uint_eq(callers.count, 0);
	ck_assert_uint_le(world.reads, READS_MAX);
}
END_TEST

START_TEST(guesses_no_layout)
{
	struct cairn_async_callers callers;

	fixture_out_poke(&runtime_image, VARIABLES, SWIFT_LAYOUT_LAST + 1, 8);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(find(0, &callers), CAIRN_UNSUPPORTED);
	ck_assert(!cairn_space_wants_async(space, &frame, CAIRN_FRAME_RETURN, &step));
}
END_TEST

/* A module is looked at once; a program without the runtime costs a few reads. */
START_TEST(costs_little_without_swift)
{
	struct cairn_async_callers callers;

	step.caller.pc = PROGRAM + CODE + 0x10;
	ck_assert_int_eq(find(0, &callers), CAIRN_NOT_FOUND);
	cairn_space_begin_query(space);
	ck_assert_int_eq(find(0, &callers), CAIRN_NOT_FOUND);
	const unsigned long before = world.reads;
	for (unsigned i = 0; i < 100; i++)
		ck_assert_int_eq(find(0, &callers), CAIRN_NOT_FOUND);
	ck_assert_uint_eq(world.reads, before);
}
END_TEST

/* Every byte of the table damaged in three ways, and a table whose only chain does not end. */
START_TEST(survives_a_damaged_table)
{
	static const uint8_t damage[] = { 0, 0x7f, 0xff };
	struct cairn_async_callers callers;

	for (size_t at = DYNAMIC; at < STRINGS + 0x180; at++)
		for (unsigned i = 0; i < COUNT(damage); i++) {
			const uint8_t before = runtime_image.data[at];
			if (before == damage[i])
				continue;
			runtime_image.data[at] = damage[i];
			open_space();
			const enum cairn_status status = find(0, &callers);
			ck_assert(status == CAIRN_OK || status == CAIRN_NOT_FOUND ||
			          status == CAIRN_UNSUPPORTED);
			ck_assert_uint_le(world.reads, READS_MAX);
			runtime_image.data[at] = before;
		}
	memset(runtime_image.data + HASH + 28, 0, SIZE - HASH - 28);
	open_space();
	ck_assert_int_eq(find(0, &callers), CAIRN_NOT_FOUND);
	ck_assert_uint_le(world.reads, READS_MAX);
}
END_TEST

/* Work is bounded: by the words of a frame, and by contexts that lead to no task. */
START_TEST(is_bounded)
{
	const uint64_t last = LONG_STACK + 8 * (SWIFT_SEARCH_MAX - 1);
	struct cairn_async_callers callers;

	frame.known = UINT64_C(1) << AMD64_SP;
	frame.value[AMD64_SP] = LONG_STACK;
	step.cfa = last + 16;
	put(last, CONTEXT, 8);
	check_found();
	put(last, 0, 8);
	put(last + 8, CONTEXT, 8);
	ck_assert_int_eq(find(0, &callers), CAIRN_NOT_FOUND);

	for (uint64_t at = LONG_CHAIN; at < LONG_CHAIN + 0x4000; at += 16)
		put_context(at, at + 16, PROGRAM + CODE);
	put_context(LONG_CHAIN + 0x4000, 8, PROGRAM + CODE);
	for (uint64_t at = LONG_STACK; at <= last; at += 8)
		put(at, LONG_CHAIN, 8);
	open_space();
	ck_assert_int_eq(find(0, &callers), CAIRN_NOT_FOUND);
	ck_assert_uint_ge(world.reads, SWIFT_STEPS_QUERY / 2);
	ck_assert_uint_le(world.reads, SWIFT_STEPS_QUERY + 3 * SWIFT_SEARCH_MAX);
}
END_TEST

/* Leave every read once, as a debugger does at Ctrl-C. */
START_TEST(survives_interrupts)
{
	struct cairn_async_callers callers;

	for (volatile unsigned long n = 1; n < 400; n++) {
		open_space();
		world.leave_at = n;
		if (setjmp(world.out) == 0)
			(void)find(0, &callers);
		world.leave_at = 0;
		check_found();
	}
}
END_TEST

static void put_symbol(struct fixture_out *symbols, struct fixture_out *names, const char *name,
                       uint8_t type, uint16_t section, uint64_t va)
{
	const size_t at = symbols->size;

	fixture_symbol(symbols, true, section, va);
	fixture_out_poke(symbols, at, names->size, 4);
	fixture_out_poke(symbols, at + 4, type, 1);
	fixture_out_poke(symbols, at + 16, type == ELF_STT_FUNC ? FUNCTION_SIZE : 8, 8);
	fixture_out_text(names, name, strlen(name) + 1);
}

/* Give the module the symbols of its file, whose bytes are all there. */
static void give_files(void)
{
	static struct fixture_out file, symbols, names;
	static const uint8_t code[0x100];
	struct cairn_files *files = cairn_files_new(true);
	struct fixture_elf_places places;
	struct cairn_range part;
	unsigned asked = 0;

	symbols = names = (struct fixture_out){ .size = 0 };
	fixture_out_put(&names, 0, 1);
	fixture_symbol(&symbols, true, 0, 0);
	put_symbol(&symbols, &names, "$s4main5boardyyYaFTY2_", ELF_STT_FUNC, 1, FUNCLET - PROGRAM);
	put_symbol(&symbols, &names, "$s4main4sinkyyF", ELF_STT_FUNC, 1, PLAIN - PROGRAM);
	put_symbol(&symbols, &names, "$s4main4loadyyYaF", ELF_STT_FUNC, 1, POINTED - PROGRAM);
	put_symbol(&symbols, &names, "$s4main4loadyyYaFTu", ELF_STT_OBJECT, 1, 8);
	put_symbol(&symbols, &names, "$s4main4loadyyYaFTQ0_", ELF_STT_FUNC, 1, AWAITED - PROGRAM);
	const struct fixture_section sections[] = {
		{ ".text", ELF_SHT_PROGBITS, CODE, { code, sizeof(code) }, 0, 0 },
		{ ".symtab", ELF_SHT_SYMTAB, 0, fixture_out_bytes(&symbols), 3, 1 },
		{ ".strtab", ELF_SHT_STRTAB, 0, fixture_out_bytes(&names), 0, 0 },
	};
	const struct fixture_elf elf = { true, false, false, ELF_TYPE_DYN,    ELF_EM_X86_64,
		                         0,    0,     NULL,  COUNT(sections), sections };
	file = (struct fixture_out){ .size = 0 };
	fixture_elf(&file, &elf, &places);
	fixture_out_poke(&file, places.sections + fixture_section_size(true) + 8,
	                 ELF_SHF_ALLOC | ELF_SHF_EXECUTE, 8);
	ck_assert_ptr_nonnull(files);
	cairn_files_want_async(files);
	while (cairn_files_part(files, fixture_out_bytes(&file), &asked, false, &part))
		ck_assert_uint_le(part.high, file.size);
	cairn_space_give_files(space, PROGRAM + CODE, files);
}

START_TEST(knows_async_functions_by_name)
{
	static const struct {
		uint64_t pc;
		enum cairn_status status;
	} functions[] = {
		{ FUNCLET + 8, CAIRN_OK },
		{ PLAIN + 8, CAIRN_NOT_FOUND },
		{ POINTED + 8, CAIRN_OK },
		{ AWAITED + 8, CAIRN_OK },
		{ AWAITED + FUNCTION_SIZE + 8, CAIRN_OK }, /* no symbol */
	};
	struct cairn_async_callers callers;

	give_files();
	ck_assert(!cairn_space_wants_async(space, &frame, CAIRN_FRAME_RETURN, &step));
	for (unsigned i = 0; i < COUNT(functions); i++) {
		frame.pc = functions[i].pc;
		ck_assert_msg(find(0, &callers) == functions[i].status, "function %u", i);
	}
	/* before it stores its context, the register holds the callee's */
	frame.pc = AWAITED + 1;
	put_context(HEAP + 0xa00, CONTEXT, AWAITED);
	frame.value[AMD64_CONTEXT] = HEAP + 0xa00;
	ck_assert_int_eq(
		cairn_find_async_callers(space, &frame, CAIRN_FRAME_PC, &step, 0, &callers),
		CAIRN_OK);
	ck_assert_uint_eq(callers.count, 2);
	ck_assert_uint_eq(callers.pc[0], PROGRAM + CODE + 0x90);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("swift_async");
	TCase *tests = tcase_create("callers");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, finds_callers);
	tcase_add_test(tests, finds_callers_on_aarch64);
	tcase_add_loop_test(tests, finds_nothing, 0, 8);
	tcase_add_test(tests, guesses_no_layout);
	tcase_add_test(tests, costs_little_without_swift);
	tcase_add_test(tests, survives_a_damaged_table);
	tcase_add_test(tests, is_bounded);
	tcase_add_test(tests, survives_interrupts);
	tcase_add_test(tests, knows_async_functions_by_name);
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
