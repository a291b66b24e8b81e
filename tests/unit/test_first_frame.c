/* SPDX-License-Identifier: MIT */
/*
 * Tests the first frame of a stack in code without tables, as musl's is: where a thread ends, the way to the entry point past
 * functions that do not return, and calls of another module's functions.
 */
#include "fake_target.h"
#include "unit.h"

#include "base/encoding.h"
#include "unwind/step/code_path.h"
#include "unwind/step/step.h"

enum {
	SP = 7,
	WORDS = 80,
	BEHIND = 0x400, /* what a call returns to, in the code */
	ENTRY = 0x800,
	STUB = 0xc00,
	TRAMPOLINE = 0xe00,
	SLOT = FAKE_TARGET_DATA,
	CALL_CAPACITY = 6,
};

#define BASE 0x400000ull
#define CODE (BASE + FAKE_TARGET_CODE)
#define STACK 0x7ffe0000ull

static struct fake_target world;
static struct fixture_out image, stack;
static struct cairn_registers frame;
static struct cairn_step step;

static size_t put_code(size_t at, const char *text)
{
	size_t size = 0, fault;

	ck_assert(hex_decode((struct cairn_bytes){ (const uint8_t *)text, strlen(text) },
	                     image.data + FAKE_TARGET_CODE + at, &size, &fault));
	return size;
}

static struct cairn_space *make_space(void)
{
	fake_target_image(&image, &(struct fake_target_image){ .base = BASE,
	                                                       .entry = FAKE_TARGET_CODE + ENTRY,
	                                                       .no_sframe = true });
	memset(image.data + FAKE_TARGET_CODE, 0xf4, FAKE_TARGET_PAGE);
	stack = (struct fixture_out){ .size = 0 };
	for (unsigned i = 0; i < WORDS; i++)
		fixture_out_put(&stack, 0, 8);
	fake_target_init(&world);
	fake_target_map(&world, BASE, image.data, image.size);
	fake_target_map(&world, STACK, stack.data, stack.size);
	frame = (struct cairn_registers){ .machine = CAIRN_MACHINE_AMD64, .pc = CODE };
	frame.value[SP] = STACK;
	frame.known = 1u << SP;
	step = (struct cairn_step){ .stop = CAIRN_STOP_NONE };
	struct cairn_space *space = cairn_space_new(&world.target);
	ck_assert_ptr_nonnull(space);
	return space;
}

static const struct {
	const char *name, *code;
	enum cairn_frame_kind kind;
	bool ends;
} ends[] = {
	{ "a thread", "89c7 31c0 b03c 0f05 f4", CAIRN_FRAME_RETURN, true },
	{ "a wide number", "89c7 b83c000000 0f05", CAIRN_FRAME_RETURN, true },
	{ "a context", "4831ff e800000000 f4", CAIRN_FRAME_RETURN, true },
	{ "a context, innermost", "4831ff e800000000 f4", CAIRN_FRAME_PC, false },
	{ "a call of _exit that more follows", "4831ff e800000000 90", CAIRN_FRAME_RETURN, false },
	{ "a call with another status", "4831f6 e800000000 f4", CAIRN_FRAME_RETURN, false },
	{ "a program", "89c7 b0e7 0f05", CAIRN_FRAME_RETURN, true },
	{ "a program, a wide number", "b8e7000000 0f05", CAIRN_FRAME_RETURN, true },
	{ "an innermost frame", "b03c 0f05", CAIRN_FRAME_PC, false },
	{ "another system call", "b03d 0f05 f4", CAIRN_FRAME_RETURN, false },
	{ "a larger number", "b83c010000 0f05 f4", CAIRN_FRAME_RETURN, false },
	{ "no system call", "b03c f4", CAIRN_FRAME_RETURN, false },
	{ "something called before", "e800000000 b03c 0f05", CAIRN_FRAME_RETURN, false },
	{ "two ways", "7400 b03c 0f05", CAIRN_FRAME_RETURN, false },
	{ "as far as is looked", "90909090909090 b03c 0f05", CAIRN_FRAME_RETURN, true },
	{ "further than is looked", "9090909090909090 b03c 0f05", CAIRN_FRAME_RETURN, false },
};

START_TEST(ends_a_thread)
{
	struct cairn_space *space = make_space();

	put_code(0, ends[_i].code);
	ck_assert_msg(!cairn_unwind(space, &frame, ends[_i].kind, NULL, &step), "%s",
	              ends[_i].name);
	ck_assert_msg((step.stop == CAIRN_STOP_OUTERMOST) == ends[_i].ends, "%s", ends[_i].name);
	cairn_space_free(space);
}
END_TEST

/* The code is read to the end of what is there, and not further. */
START_TEST(ends_a_thread_at_the_end_of_code)
{
	static const uint8_t code[] = { 0xb0, 60, 0x0f, 0x05 };
	const uint64_t end = CODE + FAKE_TARGET_PAGE;

	for (size_t size = 1; size <= sizeof(code); size++) {
		struct cairn_space *space = make_space();
		fake_target_unmap(&world, BASE);
		fake_target_map(&world, BASE, image.data, FAKE_TARGET_CODE + FAKE_TARGET_PAGE);
		memcpy(image.data + FAKE_TARGET_CODE + FAKE_TARGET_PAGE - size, code, size);
		frame.pc = end - size;
		cairn_unwind(space, &frame, CAIRN_FRAME_RETURN, NULL, &step);
		ck_assert_msg((step.stop == CAIRN_STOP_OUTERMOST) == (size == sizeof(code)),
		              "%zu bytes", size);
		cairn_space_free(space);
	}
}
END_TEST

/* From the number to the system call; `first` moves the first argument, in 3 bytes. */
#define MUSL_CLONE(number, first) \
	"31c0 b0" number first    \
	"4889d7 4c89c2 4d89c8 4c8b542408 4d89d9 4883e6f0 4883ee08 48890e 0f05"

static const struct {
	const char *name, *code; /* at 0x100, up to the pc */
	uint64_t rax;
	bool calls; /* its stack begins with a return address: it is the one that made another */
	enum cairn_frame_kind kind;
	bool is_new;
} clones[] = {
	{ "clone3", "b8b3010000 0f05", 0, false, CAIRN_FRAME_PC, true },
	{ "clone", "b838000000 0f05", 0, false, CAIRN_FRAME_PC, true },
	{ "the other thread", "b8b3010000 0f05", 77, false, CAIRN_FRAME_PC, false },
	{ "a new process", "b838000000 0f05", 0, true, CAIRN_FRAME_PC, false },
	{ "a caller", "b838000000 0f05", 0, false, CAIRN_FRAME_RETURN, false },
	{ "another system call", "b839000000 0f05", 0, false, CAIRN_FRAME_PC, false },
	{ "musl's clone", MUSL_CLONE("38", "4989fb"), 0, false, CAIRN_FRAME_PC, true },
	{ "its other thread", MUSL_CLONE("38", "4989fb"), 77, false, CAIRN_FRAME_PC, false },
	{ "its new process", MUSL_CLONE("38", "4989fb"), 0, true, CAIRN_FRAME_PC, false },
	{ "its caller", MUSL_CLONE("38", "4989fb"), 0, false, CAIRN_FRAME_RETURN, false },
	{ "another number", MUSL_CLONE("39", "4989fb"), 0, false, CAIRN_FRAME_PC, false },
	{ "a number that changes", MUSL_CLONE("38", "b00190"), 0, false, CAIRN_FRAME_PC, false },
	{ "a jump", MUSL_CLONE("38", "750190"), 0, false, CAIRN_FRAME_PC, false },
	{ "another system call before", MUSL_CLONE("38", "0f0590"), 0, false, CAIRN_FRAME_PC,
	  false },
	{ "the number alone", "31c0 b038 0f05", 0, false, CAIRN_FRAME_PC, true },
	{ "no system call", "31c0 b038 9090", 0, false, CAIRN_FRAME_PC, false },
	{ "half a number", "31c0 b038 05", 0, false, CAIRN_FRAME_PC, false },
};

START_TEST(ends_at_a_new_thread)
{
	struct cairn_space *space = make_space();

	const size_t size = put_code(0x100, clones[_i].code);
	put_code(0x100 + size, "c3");
	fixture_out_poke(&image, FAKE_TARGET_CODE + BEHIND - 5, 0xe8, 5);
	fixture_out_poke(&stack, 0, clones[_i].calls ? CODE + BEHIND : 0x123456789abc, 8);
	frame.pc = CODE + 0x100 + size;
	frame.value[0] = clones[_i].rax;
	frame.known |= 1;
	cairn_unwind(space, &frame, clones[_i].kind, NULL, &step);
	ck_assert_msg((step.stop == CAIRN_STOP_OUTERMOST) == clones[_i].is_new, "%s",
	              clones[_i].name);
	frame.known = 1u << SP;
	cairn_unwind(space, &frame, clones[_i].kind, NULL, &step);
	ck_assert_int_ne(step.stop, CAIRN_STOP_OUTERMOST);
	cairn_space_free(space);
}
END_TEST

/* Two words of the stack that may be return addresses: offsets in the code; 0: there is none. */
static const struct {
	const char *name;
	struct {
		unsigned word, at;
	} back[2];
	bool found; /* the first of them leads to the first frame */
} ways[] = {
	{ "to the end of a thread", { { 5, BEHIND } }, true },
	{ "to the entry point", { { 5, ENTRY + 0x16 } }, true },
	{ "above it something else", { { 1, BEHIND }, { 3, STUB } }, true },
	{ "past the entry point", { { 5, ENTRY + 0x46 } }, false },
	{ "to a trampoline", { { 5, TRAMPOLINE } }, true },
	{ "above a return address", { { 5, TRAMPOLINE }, { 3, STUB } }, false },
	{ "into another function", { { 5, STUB } }, false },
	{ "past another function", { { 7, BEHIND }, { 1, STUB } }, false },
	{ "past one that is not aligned", { { 7, BEHIND }, { 2, STUB } }, false },
	{ "not aligned", { { 4, BEHIND } }, false },
	{ "as far as is looked", { { FIRST_FRAME_WORDS - 1, BEHIND } }, true },
	{ "further than is looked", { { 65, BEHIND } }, false },
	{ "nowhere", { { 0, 0 } }, false },
};

START_TEST(leads_to_the_first_frame)
{
	struct cairn_space *space = make_space();

	put_code(BEHIND, "89c7 31c0 b03c 0f05");
	put_code(TRAMPOLINE, "48c7c00f000000 0f05");
	for (unsigned i = 0; i < 2 && ways[_i].back[i].at != 0; i++) {
		const unsigned at = ways[_i].back[i].at;
		if (at != TRAMPOLINE)
			fixture_out_poke(&image, FAKE_TARGET_CODE + at - 5, 0xe8, 5);
		fixture_out_poke(&stack, ways[_i].back[i].word * 8, CODE + at, 8);
	}
	const bool found = unwind_by_code(space, &frame, CAIRN_FRAME_RETURN, &step);
	ck_assert_msg(found == ways[_i].found, "%s", ways[_i].name);
	if (found) {
		const uint64_t cfa = STACK + (ways[_i].back[0].word + 1) * 8;
		ck_assert_uint_eq(step.caller.pc, CODE + ways[_i].back[0].at);
		ck_assert_uint_eq(step.caller.value[SP], cfa);
		ck_assert_uint_eq(step.cfa, cfa);
		frame = step.caller;
		cairn_unwind(space, &frame, CAIRN_FRAME_RETURN, NULL, &step);
		ck_assert(step.signal || step.stop == CAIRN_STOP_OUTERMOST);
	}
	ck_assert(!unwind_by_code(space, &frame, CAIRN_FRAME_PC, &step));
	cairn_space_free(space);
}
END_TEST

/* The call, which ends at BEHIND, and the stub; the slot that both count to is at its place from there. */
static const struct {
	const char *name, *stub;
	unsigned jump; /* where in the stub its distance begins; 0: the call has it */
	uint64_t leads_to;
	bool found;
} calls[] = {
	{ "a stub", "ff25 00000000", 2, CODE, true },
	{ "a stub with bnd", "f2ff25 00000000", 3, CODE, true },
	{ "a stub with endbr64", "f30f1efa ff25 00000000", 6, CODE, true },
	{ "a stub with both", "f30f1efa f2ff25 00000000", 7, CODE, true },
	{ "a slot", "f4", 0, CODE, true },
	{ "another function's stub", "ff25 00000000", 2, CODE + 0x200, false },
	{ "another function's slot", "f4", 0, CODE + 0x200, false },
	{ "a slot that leads nowhere", "f4", 0, 0, false },
	{ "no stub", "ffe0 00000000", 2, CODE, false },
};

static void put_distance(size_t at)
{
	fixture_out_poke(&image, FAKE_TARGET_CODE + at, SLOT - FAKE_TARGET_CODE - at - 4, 4);
}

static void put_call(unsigned row)
{
	put_code(0, "53 90");
	put_code(STUB, calls[row].stub);
	put_code(BEHIND - CALL_CAPACITY, calls[row].jump != 0 ? "f4e8" : "ff15");
	if (calls[row].jump != 0) {
		fixture_out_poke(&image, FAKE_TARGET_CODE + BEHIND - 4, STUB - BEHIND, 4);
		put_distance(STUB + calls[row].jump);
	} else {
		put_distance(BEHIND - 4);
	}
	fixture_out_poke(&image, SLOT, calls[row].leads_to, 8);
	fixture_out_poke(&stack, 8, CODE + BEHIND, 8);
}

START_TEST(enters_by_a_slot)
{
	struct cairn_space *space = make_space();
	struct cairn_registers caller;
	uint64_t cfa;

	put_call((unsigned)_i);
	frame.pc = CODE + 1;
	struct unwind_context u = unwind_begin(space, &frame, CAIRN_FRAME_PC, &step);
	ck_assert(unwind_find_module(&u));
	const bool found = entry_path_follow(&u, &caller, &cfa);
	ck_assert_msg(found == calls[_i].found, "%s", calls[_i].name);
	if (found) {
		ck_assert_uint_eq(caller.pc, CODE + BEHIND);
		ck_assert_uint_eq(cfa, STACK + 16);
	}
	cairn_space_free(space);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("first_frame");
	TCase *tests = tcase_create("first_frame");

	tcase_add_loop_test(tests, ends_a_thread, 0, COUNT(ends));
	tcase_add_test(tests, ends_a_thread_at_the_end_of_code);
	tcase_add_loop_test(tests, ends_at_a_new_thread, 0, COUNT(clones));
	tcase_add_loop_test(tests, leads_to_the_first_frame, 0, COUNT(ways));
	tcase_add_loop_test(tests, enters_by_a_slot, 0, COUNT(calls));
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
