/* SPDX-License-Identifier: MIT */
/* The ways to a caller in turn: by .eh_frame, by .sframe, by frame pointers; and why none leads on.
 */
#include "fake_target.h"
#include "fixture.h"
#include "fixture_go.h"
#include "steps.h"
#include "unit.h"

#include "unwind/step/step.h"
#include "unwind/tables/modules.h"

enum {
	WORDS = 64,  /* on the stack */
	SIZE = 0x40, /* of the function */
	AT = 0x10,   /* the pc in it */
};

#define BASE 0x400000ull
#define STACK 0x7ffe0000ull
#define CODE (BASE + FAKE_TARGET_CODE)
#define WORD(n) (CODE + 0x100 + (n)) /* what the stack holds */
#define VALUE(n) (0x1000ull + (n))   /* what registers hold */
#define SLOT(n) (STACK + 8 * (n))

#define USUAL "\x0c\x07\x08\x90\x01"      /* cfa=r7+8 r16=[cfa-8] */
#define AARCH64_CIE "\x0c\x1f\x00"        /* cfa=r31+0 */
#define S390X_CIE "\x0c\x0f\xa0\x01"      /* cfa=r15+160 */
#define PUSHED "\x0e\x18\x86\x02\x83\x03" /* cfa=r7+24 r6=[cfa-16] r3=[cfa-24] */

static struct fake_target world;
static struct fixture_out image;
static uint64_t stack[WORDS];
static struct cairn_space *space;
static struct cairn_registers frame;
static struct cairn_step step;
static enum cairn_frame_kind kind;

static const struct fixture_row sframe_row = { 0, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 16 } };
static const struct fixture_function function = { FAKE_TARGET_CODE, SIZE, FIXTURE_ADDR1, 0, 0, 1,
	                                          &sframe_row };

static void put_entry(size_t *at, uint32_t id, const struct fixture_out *body)
{
	fixture_out_poke(&image, *at, 4 + body->size, 4);
	fixture_out_poke(&image, *at + 4, id, 4);
	for (size_t i = 0; i < body->size; i++)
		fixture_out_poke(&image, *at + 8 + i, body->data[i], 1);
	*at += 8 + body->size;
}

/* One CIE and one FDE, in place of what was there, and the table that leads to them. */
static void put_frames(const char *letters, uint8_t ra, struct cairn_bytes cie,
                       struct cairn_bytes fde)
{
	static struct fixture_out body;
	const struct cairn_range range = { BASE + FAKE_TARGET_CODE,
		                           BASE + FAKE_TARGET_CODE + SIZE };
	size_t at = FAKE_TARGET_FRAMES, place;

	body = (struct fixture_out){ .big = image.big };
	fixture_out_put(&body, 1, 1);
	fixture_out_text(&body, letters, strlen(letters) + 1);
	fixture_out_put(&body, 1, 1);    /* code alignment */
	fixture_out_put(&body, 0x78, 1); /* data alignment -8 */
	fixture_out_put(&body, ra, 1);
	fixture_out_put(&body, 1, 1);
	fixture_out_put(&body, 0x1b, 1);
	fixture_out_text(&body, (const char *)cie.data, cie.size);
	put_entry(&at, 0, &body);
	place = at;
	body.size = 0;
	fixture_out_put(&body, range.low - (BASE + at + 8), 4);
	fixture_out_put(&body, SIZE, 4);
	fixture_out_put(&body, 0, 1);
	fixture_out_text(&body, (const char *)fde.data, fde.size);
	put_entry(&at, (uint32_t)(at + 4 - FAKE_TARGET_FRAMES), &body);
	fixture_out_poke(&image, at, 0, 4);
	fake_target_header(&image, BASE, FAKE_TARGET_HEADER, FAKE_TARGET_FRAMES, &range, 1, &place);
}

static void begin(struct fake_target_image about)
{
	about.base = BASE;
	fake_target_image(&image, &about);
	memset(image.data + FAKE_TARGET_FRAMES, 0, FAKE_TARGET_DATA - FAKE_TARGET_FRAMES);
	for (unsigned i = 0; i < WORDS; i++)
		stack[i] = WORD(i);
	frame = (struct cairn_registers){ .machine = about.machine ? about.machine
		                                                   : CAIRN_MACHINE_AMD64,
		                          .big_endian = about.big,
		                          .pc = CODE + AT,
		                          .known = ~0ull };
	for (unsigned i = 0; i < CAIRN_REGISTERS; i++)
		frame.value[i] = VALUE(i);
	unsigned sp = frame.machine == CAIRN_MACHINE_AMD64     ? 7
	              : frame.machine == CAIRN_MACHINE_AARCH64 ? 31
	                                                       : 15;
	frame.value[sp] = SLOT(4);
	kind = CAIRN_FRAME_PC;
}

static void setup(void)
{
	fake_target_init(&world);
	fake_target_map(&world, BASE, image.data, FIXTURE_OUT_MAX);
	fake_target_map(&world, STACK, stack, sizeof(stack));
	space = cairn_space_new(&world.target);
	ck_assert_ptr_nonnull(space);
	begin((struct fake_target_image){ .no_sframe = true });
}

static void teardown(void)
{
	cairn_space_free(space);
}

static bool climb(void)
{
	return step_by_any(space, &frame, kind, &step);
}

static void usual_frames(const char *fde, size_t size)
{
	static const struct cairn_bytes cie = BYTES(USUAL);
	put_frames("zR", 16, cie, (struct cairn_bytes){ (const uint8_t *)fde, size });
}

#define FRAMES(text) usual_frames(text, sizeof(text) - 1)

static void expect(unsigned number, uint64_t value)
{
	ck_assert_msg(step.caller.known >> number & 1, "r%u is not known", number);
	ck_assert_msg(step.caller.value[number] == value, "r%u: %#lx", number,
	              (unsigned long)step.caller.value[number]);
}

static bool knows(unsigned number)
{
	return step.caller.known >> number & 1;
}

/* 1. By .eh_frame */

START_TEST(tells_the_rule_alone)
{
	struct cairn_rule rule;
	struct cairn_fault fault;

	FRAMES(PUSHED);
	ck_assert_int_eq(cairn_space_cfi_rule(space, CODE + AT, &rule, &fault), CAIRN_OK);
	ck_assert_int_eq(rule.cfa.kind, CAIRN_REGISTER_VALUE);
	ck_assert_int_eq(rule.cfa.offset, 24);
	ck_assert_int_eq(rule.fp.kind, CAIRN_REGISTER_MEMORY);
	ck_assert_int_eq(rule.fp.offset, -16);
	ck_assert_uint_eq(rule.start, CODE);
	ck_assert_uint_eq(rule.end, CODE + SIZE);

	ck_assert_int_eq(cairn_space_cfi_rule(space, CODE + SIZE, &rule, &fault), CAIRN_NOT_FOUND);
	ck_assert_int_eq(cairn_space_cfi_rule(space, 0x10, &rule, &fault), CAIRN_NOT_FOUND);
}
END_TEST

START_TEST(restores_what_was_saved)
{
	FRAMES(PUSHED);
	ck_assert(climb());
	ck_assert(step.method == CAIRN_UNWIND_METHOD_CFI && !step.signal);
	ck_assert_uint_eq(step.cfa, SLOT(7));
	ck_assert_uint_eq(step.function, CODE);
	ck_assert_uint_eq(step.caller.pc, WORD(6));
	ck_assert_int_eq(step.caller_kind, CAIRN_FRAME_RETURN);
	expect(7, SLOT(7));
	expect(6, WORD(5));
	expect(3, WORD(4));
	for (unsigned i = 12; i < 16; i++)
		expect(i, VALUE(i));
	ck_assert(!knows(0) && !knows(1) && !knows(8) && !knows(16));
	ck_assert(step.rule.start == CODE && step.rule.end == CODE + SIZE);
	ck_assert(step.rule.cfa.base == 7 && step.rule.cfa.offset == 24);
	ck_assert(step.rule.ra.kind == CAIRN_REGISTER_MEMORY && step.rule.ra.offset == -8);
	ck_assert(step.rule.fp.kind == CAIRN_REGISTER_MEMORY && step.rule.fp.offset == -16);
}
END_TEST

/* The search table lies, .eh_frame does not: the entry of the table, what is wrong with it. */
static const struct {
	const char *name;
	unsigned at; /* in the header */
	uint32_t value;
} lying_tables[] = {
	{ "the function is elsewhere", 12, 0x10 },
	{ "the FDE is elsewhere", 16, 0x7fff0000 },
	{ "the FDE is the CIE", 16, (uint32_t)FAKE_TARGET_FRAMES - FAKE_TARGET_HEADER },
	{ "all is 0", 12, 0 },
};

START_TEST(does_without_a_table_that_lies)
{
	FRAMES(PUSHED);
	fixture_out_poke(&image, FAKE_TARGET_HEADER + lying_tables[_i].at, lying_tables[_i].value,
	                 4);
	if (lying_tables[_i].value == 0)
		fixture_out_poke(&image, FAKE_TARGET_HEADER + 16, 0, 4);
	ck_assert_msg(climb() && step.method == CAIRN_UNWIND_METHOD_CFI, "%s",
	              lying_tables[_i].name);
	ck_assert_uint_eq(step.cfa, SLOT(7));
	/* nothing covers this, whoever looks */
	frame.pc = CODE + SIZE + 1;
	frame.value[6] = SLOT(20);
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER);
}
END_TEST

START_TEST(follows_rules_of_every_kind)
{
	/* r0 undefined, r1 same, r2=r12, r3=cfa-16, r4=[cfa+8 by expression], r5=that sum */
	FRAMES("\x07\x00\x08\x01\x09\x02\x0c\x14\x03\x02\x10\x04\x02\x23\x08\x16\x05\x02\x23\x08");
	ck_assert(climb());
	ck_assert(!knows(0));
	expect(1, VALUE(1));
	expect(2, VALUE(12));
	expect(3, SLOT(3));
	expect(4, WORD(6));
	expect(5, SLOT(6));
}
END_TEST

/* As the C library writes them: everything by expressions, counted from the stack pointer. */
START_TEST(unwinds_signal_frames)
{
	static const struct cairn_bytes cie = BYTES("\x0c\x07\x08\x90\x01"),
					fde = BYTES("\x0f\x03\x77\x08\x06"   /* cfa=[r7+8] */
	                                            "\x10\x03\x02\x77\x10"   /* r3=[r7+16] */
	                                            "\x10\x07\x02\x77\x08"   /* r7=[r7+8] */
	                                            "\x10\x10\x02\x77\x18"); /* r16=[r7+24] */

	put_frames("zRS", 16, cie, fde);
	stack[5] = STACK + 8; /* another stack: below this one */
	ck_assert(climb());
	ck_assert(step.method == CAIRN_UNWIND_METHOD_SIGNAL && step.signal);
	ck_assert_int_eq(step.caller_kind, CAIRN_FRAME_PC);
	ck_assert_uint_eq(step.caller.pc, WORD(7));
	expect(3, WORD(6));
	expect(7, STACK + 8);
}
END_TEST

/* A call through a bad pointer, then a handler whose trampoline is known by its rules alone. */
START_TEST(goes_past_a_call_to_nowhere_that_was_interrupted)
{
	static const uint64_t nowhere[] = { 0, 0x10, 0x123456789abc };
	static const struct cairn_bytes cie = BYTES("\x0c\x07\x08\x90\x01"),
					fde = BYTES("\x0f\x03\x77\x08\x06"   /* cfa=[r7+8] */
	                                            "\x10\x07\x02\x77\x08"   /* r7=[r7+8] */
	                                            "\x10\x10\x02\x77\x18"); /* r16=[r7+24] */

	put_frames("zRS", 16, cie, fde);
	stack[5] = SLOT(20);
	stack[7] = nowhere[_i];
	stack[20] = WORD(0x20);
	memcpy(image.data + (WORD(0x20) - BASE) - 2, "\xff\xd0", 2); /* call *%rax */
	ck_assert(climb());
	ck_assert(step.signal && step.caller_kind == CAIRN_FRAME_PC);
	ck_assert_uint_eq(step.caller.pc, nowhere[_i]);
	frame = step.caller;
	kind = step.caller_kind;
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_CALL);
	ck_assert_uint_eq(step.caller.pc, WORD(0x20));
	expect(7, SLOT(21));
	/* nobody called it: no end, but nothing more is known */
	stack[20] = 0;
	ck_assert(!climb());
	ck_assert_int_eq(step.stop, CAIRN_STOP_NO_MODULE);
}
END_TEST

/* A handler that is not there: the kernel has put the trampoline's address where a call would put its own. */
START_TEST(goes_past_a_handler_that_is_nowhere)
{
	static const uint8_t trampoline[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };

	memcpy(image.data + (WORD(9) - BASE), trampoline, sizeof(trampoline));
	frame.pc = 0x77;
	kind = CAIRN_FRAME_PC;
	stack[(frame.value[7] - SLOT(0)) / 8] = WORD(9);
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_CALL);
	ck_assert_uint_eq(step.caller.pc, WORD(9));
	/* a part of a trampoline is not where the kernel leads */
	stack[(frame.value[7] - SLOT(0)) / 8] = WORD(9) + 7;
	ck_assert(!climb());
}
END_TEST

/* The caller's stack is below the one that a function of its own has made for what it calls. */
START_TEST(goes_to_another_stack)
{
	enum { APART = 1 << 16 };
	static const struct cairn_bytes cie = BYTES("\x0c\x06\x10\x90\x01\x86\x02"),
					fde = BYTES("");
	static uint64_t other[4];
	const uint64_t low = SLOT(4) - APART - sizeof(other);

	fake_target_map(&world, low, other, sizeof(other));
	put_frames("zR", 16, cie, fde);
	memcpy(image.data + (WORD(0x20) - BASE) - 2, "\xff\xd0", 2); /* call *%rax */
	other[2] = STACK;
	other[3] = WORD(0x20);
	frame.value[6] = low + 16;
	kind = CAIRN_FRAME_RETURN;
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_CFI);
	ck_assert_uint_eq(step.caller.pc, WORD(0x20));
	expect(6, STACK);
	expect(7, low + sizeof(other));
	/* not of the innermost frame, near, or without a call before */
	kind = CAIRN_FRAME_PC;
	ck_assert(!climb() && step.stop == CAIRN_STOP_CFA_IMPLAUSIBLE);
	kind = CAIRN_FRAME_RETURN;
	frame.value[7] -= 8;
	ck_assert(!climb() && step.stop == CAIRN_STOP_CFA_IMPLAUSIBLE);
	frame.value[7] += 8;
	other[3] = WORD(0x21);
	ck_assert(!climb() && step.stop == CAIRN_STOP_CFA_IMPLAUSIBLE);
}
END_TEST

/* A stack that rbp leads to, while rsp stays: the return address is at the CFA, which is rbp + 8. */
static void lead_to_other_stack(struct cairn_bytes cie)
{
	static const struct cairn_bytes none = BYTES("");
	static uint64_t other[4];
	const uint64_t low = SLOT(4) - 0x100000;

	fake_target_map(&world, low, other, sizeof(other));
	put_frames("zR", 16, cie, none);
	other[1] = WORD(0x20);
	frame.value[6] = low;
}

/* GHC's code has such frames, and returns to where nobody called. */
START_TEST(follows_a_stack_of_another_register)
{
	static const struct cairn_bytes cie =
		BYTES("\x0c\x06\x08\x90\x00\x14\x06\x00\x08\x07"); /* rbp becomes the CFA */
	const uint64_t sp = frame.value[7];

	lead_to_other_stack(cie);
	for (int i = 0; i < 2; i++) {
		kind = i == 0 ? CAIRN_FRAME_PC : CAIRN_FRAME_RETURN;
		ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_CFI);
		ck_assert_uint_eq(step.caller.pc, WORD(0x20));
		expect(6, frame.value[6] + 8);
		expect(7, sp);
	}
}
END_TEST

/* Where rbp stays as well, a walk would not end. */
START_TEST(refuses_another_stack_that_stays)
{
	static const struct cairn_bytes cie = BYTES("\x0c\x06\x08\x90\x00\x08\x07");

	lead_to_other_stack(cie);
	kind = CAIRN_FRAME_RETURN;
	ck_assert(!climb() && step.stop == CAIRN_STOP_CFA_IMPLAUSIBLE);
}
END_TEST

START_TEST(strips_signed_addresses)
{
	static const struct cairn_bytes cie = BYTES(AARCH64_CIE),
					fde = BYTES("\x2d\x0e\x10\x9d\x02\x9e\x01");

	begin((struct fake_target_image){ .machine = CAIRN_MACHINE_AARCH64, .no_sframe = true });
	put_frames("zRB", 30, cie, fde);
	stack[5] = WORD(5) | 0x002a000000000000;
	ck_assert(climb());
	ck_assert(step.method == CAIRN_UNWIND_METHOD_CFI && step.rule.mangled && step.rule.key_b);
	ck_assert_uint_eq(step.caller.pc, WORD(5));
	expect(29, WORD(4));
	expect(30, WORD(5));
	expect(31, SLOT(6));
	expect(19, VALUE(19));
	ck_assert(!knows(0) && !knows(18));
}
END_TEST

START_TEST(knows_leaves_by_the_link_register)
{
	static const struct cairn_bytes cie = BYTES(AARCH64_CIE), fde = BYTES(""),
					grown = BYTES("\x0e\x10");

	begin((struct fake_target_image){ .machine = CAIRN_MACHINE_AARCH64, .no_sframe = true });
	put_frames("zR", 30, cie, fde);
	frame.value[30] = WORD(1);
	ck_assert(climb());
	ck_assert_uint_eq(step.caller.pc, WORD(1));
	expect(31, SLOT(4));
	/* behind a call it is long lost */
	put_frames("zR", 30, cie, grown);
	cairn_space_reset(space);
	kind = CAIRN_FRAME_RETURN;
	ck_assert(!climb());
	ck_assert_int_eq(step.stop, CAIRN_STOP_LINK_UNKNOWN);
}
END_TEST

START_TEST(unwinds_s390x)
{
	static const struct cairn_bytes cie = BYTES(
						S390X_CIE), /* r14=[cfa-48] r24=[cfa-72] r11=r24 */
		fde = BYTES("\x0e\xc0\x02\x8e\x06\x98\x09\x09\x0b\x18");
	static uint8_t bytes[8 * WORDS];

	begin((struct fake_target_image){
		.machine = CAIRN_MACHINE_S390X, .big = true, .no_sframe = true });
	put_frames("zR", 14, cie, fde);
	for (unsigned i = 0; i < WORDS; i++)
		for (unsigned k = 0; k < 8; k++)
			bytes[8 * i + k] = (uint8_t)(WORD(i) >> (56 - 8 * k));
	fake_target_map(&world, STACK, bytes, sizeof(bytes));
	ck_assert(climb());
	ck_assert_uint_eq(step.cfa, SLOT(44));
	ck_assert_uint_eq(step.caller.pc, WORD(38));
	expect(15, SLOT(24));
	expect(24, WORD(35));
	expect(11, VALUE(24));
	expect(6, VALUE(6));
	ck_assert(!knows(0) && !knows(16));
}
END_TEST

/* Where a debugger sees none, because there are no section headers, memory may hold it all the
 * same. */
START_TEST(does_not_need_section_headers)
{
	begin((struct fake_target_image){ .no_sframe = true, .no_sections = true });
	FRAMES(PUSHED);
	ck_assert(!cairn_space_has_cfi(space, frame.pc));
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_CFI);
	ck_assert(!cairn_space_has_cfi(space, frame.pc));
}
END_TEST

/*
 * Code that was jumped to has no frame: its rules tell where it goes on, as those of the C library's waits for locks
 * (r16=pc+N by an expression, cfa=r7+0), and the caller at 0x28 has a frame of one word.
 */
#define CALLER "\x60\x0e\x08\x90\x01" /* from 0x20 on */
static const struct {
	const char *name;
	struct cairn_bytes fde;
	uint64_t at, caller; /* from the start of the function; 0: there is none */
	int words;           /* that the stack moves to the caller */
} stays[] = {
	{ "one", BYTES("\x0e\x00\x16\x10\x02\x80\x18" CALLER), 0x10, 0x28, 0 },
	{ "its row of a byte", BYTES("\x50\x0e\x00\x16\x10\x02\x80\x18\x41\x0e\x08\x90\x01"), 0x10,
	  0x28, 0 },
	/* 0 leads to 0x10, which leads to 0x28 */
	{ "two", BYTES("\x0e\x00\x16\x10\x02\x80\x10\x4c\x16\x10\x02\x80\x18\x54\x0e\x08\x90\x01"),
	  0, 0x10, 0 },
	/* of amd64, which leaves 128 bytes free, but not yet */
	{ "down first",
	  BYTES("\x13\x10\x16\x10\x02\x80\x10\x4c\x0e\x80\x01\x16\x10\x02\x80\x18\x54"
	        "\x0e\x08\x90\x01"),
	  0, 0x10, -16 },
	{ "by a register", BYTES("\x0e\x00\x09\x10\x03" CALLER), 0x10, 0x28, 0 },
	{ "the last of all", BYTES("\x0e\x00\x16\x10\x02\x80\x18\x60\x07\x10"), 0x10, 0x28, 0 },
	{ "itself", BYTES("\x0e\x00\x16\x10\x02\x80\x00" CALLER), 0x10, 0, 0 },
	{ "up and down its code", BYTES("\x0e\x00\x16\x10\x02\x80\x18\x60\x16\x10\x02\x80\x68"),
	  0x10, 0, 0 },
	{ "down for good", BYTES("\x13\x10\x16\x10\x02\x80\x18" CALLER), 0x10, 0, 0 },
	{ "to what has no row", BYTES("\x0e\x00\x16\x10\x03\x80\xf0\x00"), 0x10, 0, 0 },
	{ "by a word of the stack", BYTES("\x0e\x00" CALLER), 0x10, 0, 0 },
};

START_TEST(leaves_code_without_a_frame)
{
	usual_frames((const char *)stays[_i].fde.data, stays[_i].fde.size);
	frame.pc = CODE + stays[_i].at;
	frame.value[3] = CODE + 0x28;
	if (!stays[_i].caller) {
		ck_assert_msg(!climb() && step.stop == CAIRN_STOP_CFA_IMPLAUSIBLE, "%s: %s",
		              stays[_i].name, cairn_stop_name(step.stop));
		return;
	}
	ck_assert_msg(climb(), "%s: %s", stays[_i].name, cairn_stop_name(step.stop));
	ck_assert_uint_eq(step.caller.pc, CODE + stays[_i].caller);
	expect(7, SLOT(4) + 8 * (uint64_t)(int64_t)stays[_i].words);
	for (unsigned left = 4; step.stop == CAIRN_STOP_NONE && step.caller.value[7] < SLOT(5);
	     left--) {
		ck_assert_uint_gt(left, 0);
		frame = step.caller;
		kind = step.caller_kind;
		climb();
	}
	ck_assert(step.stop == CAIRN_STOP_OUTERMOST || step.caller.pc == WORD(4));
}
END_TEST

/* Each four bytes lead to the next four, and only those at the end have a frame. */
START_TEST(bounds_frames_that_stay)
{
	uint8_t fde[] = { 0x0e, 0, 0x16, 0x10, 2, 0x80, 4, 0x40, 0x0e, 8, 0x90, 1 };

	fde[7] = (uint8_t)(fde[7] + 4 * (UNWIND_STAYS_MAX - 1 + _i));
	usual_frames((const char *)fde, sizeof(fde));
	frame.pc = CODE;
	ck_assert(climb() == (_i == 0));
	ck_assert_int_eq(step.stop, _i == 0 ? CAIRN_STOP_NONE : CAIRN_STOP_CFA_IMPLAUSIBLE);
}
END_TEST

/* 2. The end, and damage */

static const struct {
	const char *name;
	struct cairn_bytes fde;
	uint64_t return_address, sp;
	enum cairn_stop stop;
} ends[] = {
	{ "no caller", BYTES("\x07\x10"), WORD(4), SLOT(4), CAIRN_STOP_OUTERMOST },
	{ "a return address of 0", BYTES(""), 0, SLOT(4), CAIRN_STOP_OUTERMOST },
	{ "a return address that is no code", BYTES(""), 0x10, SLOT(4), CAIRN_STOP_RA_IMPLAUSIBLE },
	{ "a stack that cannot be read", BYTES(""), WORD(4), 0x5000, CAIRN_STOP_RA_UNREADABLE },
	{ "a return address in an unknown place", BYTES("\x10\x10\x01\x71"), WORD(4), SLOT(4),
	  CAIRN_STOP_BAD_TABLE },
	{ "a CFA that is not aligned", BYTES("\x0e\x09"), WORD(4), SLOT(4),
	  CAIRN_STOP_CFA_IMPLAUSIBLE },
	{ "a CFA that stays", BYTES("\x0e\x00\x90\x7f"), WORD(4), SLOT(4),
	  CAIRN_STOP_CFA_IMPLAUSIBLE },
	{ "a stack pointer that stays", BYTES("\x08\x07"), WORD(4), SLOT(4),
	  CAIRN_STOP_CFA_IMPLAUSIBLE },
	{ "a stack pointer that moves down", BYTES("\x14\x07\x08"), WORD(4), SLOT(4),
	  CAIRN_STOP_CFA_IMPLAUSIBLE },
	{ "a CFA by an expression that is wrong", BYTES("\x0f\x01\x22"), WORD(4), SLOT(4),
	  CAIRN_STOP_BAD_TABLE },
	{ "a CFA in memory that cannot be read", BYTES("\x0f\x02\x30\x06"), WORD(4), SLOT(4),
	  CAIRN_STOP_CFA_UNKNOWN },
	{ "an unknown instruction", BYTES("\x3f"), WORD(4), SLOT(4), CAIRN_STOP_BAD_TABLE },
	{ "an instruction of another machine", BYTES("\x2d"), WORD(4), SLOT(4),
	  CAIRN_STOP_BAD_TABLE },
};

START_TEST(says_why_it_ends)
{
	usual_frames((const char *)ends[_i].fde.data, ends[_i].fde.size);
	frame.value[7] = ends[_i].sp;
	stack[4] = ends[_i].return_address;
	ck_assert_msg(!climb() && step.stop == ends[_i].stop, "%s: %s", ends[_i].name,
	              cairn_stop_name(step.stop));
	if (step.stop == CAIRN_STOP_BAD_TABLE)
		ck_assert(step.fault.status != CAIRN_OK && step.fault.what &&
		          step.fault.offset < FAKE_TARGET_HEADER - FAKE_TARGET_FRAMES);
}
END_TEST

START_TEST(bounds_entries)
{
	FRAMES("");
	size_t fde = FAKE_TARGET_FRAMES + 4 + image.data[FAKE_TARGET_FRAMES];
	fixture_out_poke(&image, fde, 1 << 20, 4);
	ck_assert(!climb());
	ck_assert_int_eq(step.stop, CAIRN_STOP_BAD_TABLE);
	ck_assert_int_eq(step.fault.status, CAIRN_UNSUPPORTED);
	ck_assert_uint_eq(step.fault.offset, fde - FAKE_TARGET_FRAMES);
}
END_TEST

/* 3. The next method */

START_TEST(goes_on_by_sframe)
{
	begin((struct fake_target_image){ .count = 1, .functions = &function });
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_SFRAME);
	ck_assert_uint_eq(step.cfa, SLOT(6));
	cairn_space_reset(space);
	FRAMES(PUSHED);
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_CFI);
	cairn_space_reset(space);
	FRAMES("\x3f");
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_SFRAME);
	/* the old way is not changed by any of this */
	ck_assert(step_by_sframe(space, &frame, kind, &step) &&
	          step.method == CAIRN_UNWIND_METHOD_SFRAME);
	ck_assert_uint_eq(step.cfa, SLOT(6));
}
END_TEST

START_TEST(follows_frame_pointers)
{
	frame.value[6] = SLOT(8);
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER);
	ck_assert_uint_eq(step.caller.pc, WORD(9));
	ck_assert_uint_eq(step.cfa, SLOT(10));
	ck_assert(step.caller.known == (1 << 6 | 1 << 7) && step.function == 0);
	expect(7, SLOT(10));
	expect(6, WORD(8));
	ck_assert(!step_by_sframe(space, &frame, kind, &step));
}
END_TEST

START_TEST(follows_frame_records)
{
	begin((struct fake_target_image){ .machine = CAIRN_MACHINE_AARCH64, .no_sframe = true });
	frame.value[29] = SLOT(8);
	stack[8] = SLOT(12);
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER);
	ck_assert_uint_eq(step.caller.pc, WORD(9));
	ck_assert(!knows(31));
	expect(29, SLOT(12));
	frame = step.caller;
	kind = step.caller_kind;
	stack[12] = SLOT(8); /* back to where it came from */
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER);
	ck_assert(!knows(29) && !knows(31));
	frame = step.caller;
	ck_assert(!climb());
}
END_TEST

START_TEST(follows_the_back_chain)
{
	begin((struct fake_target_image){ .machine = CAIRN_MACHINE_PPC64, .no_sframe = true });
	frame.value[1] = SLOT(4);
	stack[4] = SLOT(8);
	stack[8] = 0;
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER);
	ck_assert_uint_eq(step.caller.pc, WORD(10));
	ck_assert_uint_eq(step.cfa, SLOT(8));
	expect(1, SLOT(8));
	frame = step.caller;
	kind = step.caller_kind;
	ck_assert(!climb() && step.stop == CAIRN_STOP_OUTERMOST);
	stack[8] = SLOT(4); /* back down */
	ck_assert(!climb() && step.stop != CAIRN_STOP_OUTERMOST);
}
END_TEST

/* Frames of 32 bits have words of four bytes, and the return address in the second. */
START_TEST(follows_the_back_chain_of_32_bits)
{
	begin((struct fake_target_image){ .machine = CAIRN_MACHINE_PPC, .no_sframe = true });
	frame.value[1] = SLOT(4);
	stack[4] = SLOT(8);
	stack[8] = (uint64_t)WORD(10) << 32;
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER);
	ck_assert_uint_eq(step.caller.pc, WORD(10));
	expect(1, SLOT(8));
	frame = step.caller;
	kind = step.caller_kind;
	ck_assert(!climb() && step.stop == CAIRN_STOP_OUTERMOST);
}
END_TEST

static const struct {
	const char *name;
	uint64_t fp, return_address;
} no_records[] = {
	{ "below the stack pointer", SLOT(2), WORD(3) },
	{ "not aligned", SLOT(8) + 4, WORD(9) },
	{ "not readable", 0x5000, WORD(9) },
	{ "at the end of memory", ~0ull - 7, WORD(9) },
	{ "no return address", SLOT(8), 0 },
	{ "a return address that is no code", SLOT(8), 0x10 },
	{ "a return address into data", SLOT(8), BASE + FAKE_TARGET_DATA + 8 },
};

START_TEST(doubts_frame_pointers)
{
	frame.value[6] = no_records[_i].fp;
	stack[9] = no_records[_i].return_address;
	ck_assert_msg(!climb() && step.stop == CAIRN_STOP_NO_TABLE, "%s", no_records[_i].name);
	ck_assert_int_eq(step.method, CAIRN_UNWIND_METHOD_NONE);
}
END_TEST

/* Bytes before a return address, and whether they end with a call. */
static const struct {
	const char *name;
	struct cairn_bytes code;
	bool is_call;
} before[] = {
	{ "call *%rax", BYTES("\xff\xd0"), true },
	{ "call *%r11", BYTES("\x41\xff\xd3"), true },
	{ "call *0x8(%rax)", BYTES("\xff\x50\x08"), true },
	{ "call *0x100(%rip)", BYTES("\xff\x15\0\1\0\0"), true },
	{ "call, from which a jump went on", BYTES("\xe8\0\1\0\0"), true },
	{ "nop", BYTES("\x90\x90\x90\x90\x90\x90\x90"), false },
	{ "jmp *%rax", BYTES("\x90\x90\x90\x90\x90\xff\xe0"), false },
};

static void put_code(uint64_t end, struct cairn_bytes code)
{
	memcpy(image.data + (end - BASE) - code.size, code.data, code.size);
}

START_TEST(goes_back_from_a_call_to_nowhere)
{
	static const uint64_t nowhere[] = { 0, 0x10, ~0ull, BASE + FAKE_TARGET_DATA + 8 };

	put_code(WORD(4), before[_i].code);
	for (size_t i = 0; i < COUNT(nowhere); i++) {
		frame.pc = nowhere[i];
		ck_assert_msg(climb() == before[_i].is_call, "%s", before[_i].name);
		if (!before[_i].is_call)
			continue;
		ck_assert(step.method == CAIRN_UNWIND_METHOD_CALL &&
		          step.caller_kind == CAIRN_FRAME_RETURN);
		ck_assert_uint_eq(step.caller.pc, WORD(4));
		ck_assert_uint_eq(step.cfa, SLOT(5));
		expect(7, SLOT(5));
		expect(3, VALUE(3)); /* nothing has run since */
		expect(6, VALUE(6));
	}
}
END_TEST

/* Where no trampoline is, the module remembers, but for its machine alone; a trampoline is looked at again. */
START_TEST(knows_where_no_trampoline_is)
{
	static const uint8_t code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 };
	struct cairn_registers at = { .machine = CAIRN_MACHINE_AMD64, .pc = WORD(4) };
	uint64_t start;

	cairn_space_follows_call(space, WORD(4)); /* now the module is known */
	ck_assert(!cairn_find_signal_trampoline(space, &at, &start));
	world.reads = 0;
	ck_assert(!cairn_find_signal_trampoline(space, &at, &start));
	ck_assert_uint_eq(world.reads, 0);
	at.pc = WORD(8);
	at.machine = CAIRN_MACHINE_AARCH64;
	ck_assert(!cairn_find_signal_trampoline(space, &at, &start));
	at.machine = CAIRN_MACHINE_AMD64;
	put_code(WORD(8) + sizeof(code), (struct cairn_bytes){ code, sizeof(code) });
	for (unsigned i = 0; i < 2; i++)
		ck_assert(cairn_find_signal_trampoline(space, &at, &start) && start == WORD(8));
}
END_TEST

/* The answer "no call" is remembered with the module; it stays "perhaps" where nothing is known. */
START_TEST(knows_where_no_call_is_before)
{
	put_code(WORD(4), before[_i].code);
	ck_assert(cairn_space_follows_call(space, WORD(4)) == before[_i].is_call);
	world.reads = 0;
	ck_assert(cairn_space_follows_call(space, WORD(4)) == before[_i].is_call);
	ck_assert_uint_eq(world.reads, before[_i].is_call ? 2 : 1);
	for (unsigned i = 0; i < 64; i++)
		cairn_space_follows_call(space, WORD(0x40 + i));
	ck_assert(cairn_space_follows_call(space, WORD(4)) == before[_i].is_call);
	ck_assert(cairn_space_follows_call(space, 0x1000));
}
END_TEST

/* Code of a PLT around the pc, which is `at` bytes into it; words that were pushed, -1: it is no stub. */
static const struct {
	const char *name;
	struct cairn_bytes code;
	unsigned at;
	int pushed;
} stubs[] = {
	{ "a jump", BYTES("\xff\x25\1\2\3\4\x68\1\0\0\0\xe9\0\0\0\0"), 0, 0 },
	{ "the push of a number", BYTES("\xff\x25\1\2\3\4\x68\1\0\0\0\xe9\0\0\0\0"), 6, 0 },
	{ "the jump after it", BYTES("\xff\x25\1\2\3\4\x68\1\0\0\0\xe9\0\0\0\0"), 11, 1 },
	{ "the first block", BYTES("\xff\x35\1\2\3\4\xff\x25\1\2\3\4"), 0, 1 },
	{ "its jump", BYTES("\xff\x35\1\2\3\4\xff\x25\1\2\3\4"), 6, 2 },
	{ "its jump with bnd", BYTES("\xff\x35\1\2\3\4\xf2\xff\x25\1\2\3\4"), 6, 2 },
	{ "endbr64", BYTES("\xf3\x0f\x1e\xfa\xf2\xff\x25\1\2\3\4"), 0, 0 },
	{ "a jump after endbr64", BYTES("\xf3\x0f\x1e\xfa\xf2\xff\x25\1\2\3\4"), 4, 0 },
	{ "endbr64, late", BYTES("\xf3\x0f\x1e\xfa\x68\1\0\0\0\xf2\xe9\0\0\0\0"), 0, 0 },
	{ "a push after it", BYTES("\xf3\x0f\x1e\xfa\x68\1\0\0\0\xf2\xe9\0\0\0\0"), 4, 0 },
	{ "a jump after both", BYTES("\xf3\x0f\x1e\xfa\x68\1\0\0\0\xf2\xe9\0\0\0\0"), 9, 1 },
	{ "a jump in a function", BYTES("\x90\x90\x90\x90\x90\xe9\0\0\0\0"), 5, -1 },
	{ "endbr64 of a function", BYTES("\xf3\x0f\x1e\xfa\x55\x48\x89\xe5"), 0, -1 },
	{ "a push of a function", BYTES("\x68\1\0\0\0\xe8\0\0\0\0"), 0, -1 },
};

START_TEST(knows_stubs)
{
	const int pushed = stubs[_i].pushed;

	put_code(frame.pc - stubs[_i].at + stubs[_i].code.size, stubs[_i].code);
	put_code(WORD(0x20), (struct cairn_bytes)BYTES("\xff\xd0")); /* call *%rax */
	stack[4 + (pushed < 0 ? 0 : pushed)] = WORD(0x20);
	frame.value[6] = SLOT(20);
	ck_assert(climb());
	if (pushed < 0) {
		ck_assert_int_eq(step.method, CAIRN_UNWIND_METHOD_FRAME_POINTER);
		return;
	}
	ck_assert_msg(step.method == CAIRN_UNWIND_METHOD_CALL, "%s", stubs[_i].name);
	ck_assert_uint_eq(step.caller.pc, WORD(0x20));
	ck_assert_uint_eq(step.cfa, SLOT(5 + (unsigned)pushed));
	expect(7, SLOT(5 + (unsigned)pushed));
	expect(6, SLOT(20));
	ck_assert(!knows(0));
	/* not after a call: the guess, as before */
	stack[4 + pushed] = WORD(0x40);
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER);
	kind = CAIRN_FRAME_RETURN;
	stack[4 + pushed] = WORD(0x20);
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER);
}
END_TEST

/* Code of a PLT of aarch64 around the pc, which is `at` bytes into it; bytes that were pushed, -1: it is no stub. */
#define TO_FUNCTION \
	"\x10\1\0\x90\x11\xfe\x47\xf9\x10\xe2\x3f\x91\x20\x02\x1f\xd6" /* adrp, ldr, add, br */
static const struct {
	const char *name;
	struct cairn_bytes code;
	unsigned at;
	int pushed;
} link_stubs[] = {
	{ "adrp", BYTES(TO_FUNCTION), 0, 0 },
	{ "ldr", BYTES(TO_FUNCTION), 4, 0 },
	{ "add", BYTES(TO_FUNCTION), 8, 0 },
	{ "br", BYTES(TO_FUNCTION), 12, 0 },
	{ "bti", BYTES("\x5f\x24\x03\xd5" TO_FUNCTION), 0, 0 },
	{ "br after bti", BYTES("\x5f\x24\x03\xd5" TO_FUNCTION), 16, 0 },
	{ "the first block", BYTES("\xf0\x7b\xbf\xa9" TO_FUNCTION), 0, 0 },
	{ "adrp of it", BYTES("\xf0\x7b\xbf\xa9" TO_FUNCTION), 4, 16 },
	{ "br of it", BYTES("\xf0\x7b\xbf\xa9" TO_FUNCTION), 16, 16 },
	{ "another register", BYTES("\x11\1\0\x90\x11\xfe\x47\xf9\x10\xe2\x3f\x91\x20\x02\x1f\xd6"),
	  4, -1 },
	{ "blr", BYTES("\x10\1\0\x90\x11\xfe\x47\xf9\x10\xe2\x3f\x91\x20\x02\x3f\xd6"), 8, -1 },
	{ "cut", BYTES("\x10\1\0\x90\x11\xfe\x47\xf9\x10\xe2\x3f\x91"), 4, -1 },
};

/* The chain of frame records, which passes over the function that has called the stub, counts only without one. */
START_TEST(knows_stubs_by_the_link_register)
{
	const int pushed = link_stubs[_i].pushed;

	begin((struct fake_target_image){ .machine = CAIRN_MACHINE_AARCH64, .no_sframe = true });
	frame.pc &= ~UINT64_C(3);
	put_code(frame.pc - link_stubs[_i].at + link_stubs[_i].code.size, link_stubs[_i].code);
	put_code(WORD(0x20), (struct cairn_bytes)BYTES("\x00\x00\x3f\xd6")); /* blr x0 */
	frame.value[29] = SLOT(8);
	stack[8] = SLOT(12);
	frame.value[30] = pushed > 0 ? VALUE(30) : WORD(0x20);
	stack[5] = WORD(0x20);
	ck_assert(climb());
	if (pushed < 0) {
		ck_assert_msg(step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER, "%s",
		              link_stubs[_i].name);
		return;
	}
	ck_assert_msg(step.method == CAIRN_UNWIND_METHOD_CALL, "%s", link_stubs[_i].name);
	ck_assert_uint_eq(step.caller.pc, WORD(0x20));
	expect(31, SLOT(4) + (unsigned)pushed);
	expect(29, SLOT(8));
	ck_assert(!knows(0));
	/* a caller is in no stub, and a register that leads to no call proves nothing */
	kind = CAIRN_FRAME_RETURN;
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER);
	kind = CAIRN_FRAME_PC;
	frame.value[30] = stack[5] = WORD(0x40);
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER);
}
END_TEST

/* Nothing else leads on: the first word that a call may have left. */
START_TEST(searches_the_stack)
{
	put_code(WORD(7), (struct cairn_bytes)BYTES("\xff\xd0")); /* call *%rax */
	for (unsigned i = 4; i < WORDS; i++)
		stack[i] = i % 2 ? 0 : WORD(0x40 + i); /* in code, but not after a call */
	stack[9] = WORD(7);
	frame.value[6] = SLOT(20);
	ck_assert(unwind_scan(space, &frame, CAIRN_FRAME_PC, &step));
	ck_assert(step.method == CAIRN_UNWIND_METHOD_SCAN && step.guessed &&
	          step.caller_kind == CAIRN_FRAME_RETURN);
	ck_assert_uint_eq(step.caller.pc, WORD(7));
	ck_assert_uint_eq(step.cfa, SLOT(10));
	expect(7, SLOT(10));
	expect(6, SLOT(20));
	frame.value[6] = SLOT(2); /* below the stack pointer: not the caller's */
	ck_assert(unwind_scan(space, &frame, CAIRN_FRAME_PC, &step) && !knows(6));
	frame = step.caller;
	ck_assert(!unwind_scan(space, &frame, CAIRN_FRAME_RETURN, &step));
	ck_assert_int_eq(step.stop, CAIRN_STOP_NO_ROW);
	frame.known = 0;
	ck_assert(!unwind_scan(space, &frame, CAIRN_FRAME_RETURN, &step));
}
END_TEST

/* A caller has fewer words that are searched than the innermost frame. */
START_TEST(searches_a_part_of_the_stack)
{
	put_code(WORD(7), (struct cairn_bytes)BYTES("\xff\xd0"));
	memset(stack, 0, sizeof(stack));
	stack[4 + 40] = WORD(7);
	ck_assert(unwind_scan(space, &frame, CAIRN_FRAME_PC, &step));
	ck_assert(!unwind_scan(space, &frame, CAIRN_FRAME_RETURN, &step));
	stack[4 + 39] = WORD(7);
	ck_assert(unwind_scan(space, &frame, CAIRN_FRAME_RETURN, &step));
}
END_TEST

/* A signature of an address of 39 bits begins below bit 48. */
START_TEST(strips_signatures)
{
	begin((struct fake_target_image){ .machine = CAIRN_MACHINE_AARCH64, .no_sframe = true });
	frame.value[29] = SLOT(8);
	stack[8] = SLOT(12);
	stack[9] = WORD(9) | UINT64_C(0x2a8) << 39;
	ck_assert(!climb());
	space_set_signature_bits(space, UINT64_C(0xffff) << 39);
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER);
	ck_assert_uint_eq(step.caller.pc, WORD(9));
	/* bits that addresses have are never taken, whatever a core claims */
	space_set_signature_bits(space, UINT64_MAX);
	ck_assert(climb());
	ck_assert_uint_eq(step.caller.pc, WORD(9));
}
END_TEST

START_TEST(goes_back_by_the_link_register)
{
	begin((struct fake_target_image){ .machine = CAIRN_MACHINE_AARCH64, .no_sframe = true });
	frame.pc = 0;
	frame.value[30] = WORD(0);
	put_code(WORD(0), (struct cairn_bytes)BYTES("\x00\x00\x3f\xd6")); /* blr x0 */
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_CALL);
	ck_assert_uint_eq(step.caller.pc, WORD(0));
	expect(31, SLOT(4));
	frame.value[30] = WORD(4); /* no call there */
	ck_assert(!climb());
}
END_TEST

/* Machines whose calls put the return address in a register. */
static const struct {
	enum cairn_machine machine;
	unsigned sp, fp, link;
	bool big;
} linked[] = {
	{ CAIRN_MACHINE_AARCH64, 31, 29, 30, false },
	{ CAIRN_MACHINE_PPC64, 1, 31, 32, true },
	{ CAIRN_MACHINE_S390X, 15, 11, 14, true },
	{ CAIRN_MACHINE_RISCV64, 2, 8, 1, false },
};

/* Unmaps the code of the image; its first page and its tables stay readable. */
static void hide_code(void)
{
	fake_target_unmap(&world, BASE);
	fake_target_map(&world, BASE, image.data, FAKE_TARGET_CODE);
	fake_target_map(&world, BASE + FAKE_TARGET_SFRAME, image.data + FAKE_TARGET_SFRAME,
	                FAKE_TARGET_SIZE - FAKE_TARGET_SFRAME);
}

/* A module cannot be searched for in code that nobody can read. */
static void report_module(enum cairn_machine machine, bool big)
{
	const struct cairn_host_module told = { .name = { (const uint8_t *)"", 0 },
		                                .low = BASE,
		                                .high = BASE + FAKE_TARGET_SIZE,
		                                .machine = machine,
		                                .big_endian = big,
		                                .text = { CODE, BASE + FAKE_TARGET_SFRAME } };

	ck_assert_int_eq(cairn_space_add_module(space, &told), CAIRN_OK);
}

static void begin_linked(int which)
{
	begin((struct fake_target_image){
		.machine = linked[which].machine, .big = linked[which].big, .no_sframe = true });
	frame.value[linked[which].sp] = SLOT(4);
	frame.value[linked[which].link] = WORD(0x20);
	hide_code();
	report_module(linked[which].machine, linked[which].big);
}

START_TEST(guesses_by_the_link_register_where_code_is_hidden)
{
	begin_linked(_i);
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_LINK && step.guessed);
	ck_assert_uint_eq(step.caller.pc, WORD(0x20));
	expect(linked[_i].sp, SLOT(4));
	frame.value[linked[_i].link] = frame.pc; /* a call that has returned */
	ck_assert(!climb());
	frame.value[linked[_i].link] = BASE + FAKE_TARGET_DATA; /* no code */
	ck_assert(!climb());
	frame.value[linked[_i].link] = WORD(0x20);
	kind = CAIRN_FRAME_RETURN;
	ck_assert(!climb());
}
END_TEST

/* The chain leads past the caller of a function that has no frame of its own. */
START_TEST(compares_the_chain_with_the_link_register)
{
	begin_linked(0);
	frame.value[29] = SLOT(8);
	stack[8] = SLOT(12);
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_LINK);
	expect(29, SLOT(8));
	frame.value[30] = WORD(9); /* what the record has */
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER && !step.guessed);
	frame.known &= ~((uint64_t)1 << 30);
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER && step.guessed);
	ck_assert_uint_eq(step.caller.pc, WORD(9));
}
END_TEST

START_TEST(compares_the_back_chain_with_the_link_register)
{
	begin_linked(1);
	stack[4] = __builtin_bswap64(SLOT(8));
	stack[8] = __builtin_bswap64(SLOT(16));
	stack[10] = __builtin_bswap64(WORD(10));
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_LINK && step.guessed);
	expect(1, SLOT(4));
	frame.value[32] = WORD(10);
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER && !step.guessed);
	frame.value[32] = frame.pc;
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER && step.guessed);
	expect(1, SLOT(8));
}
END_TEST

/* Code without tables on aarch64, which begins four instructions before the pc. */
static const struct {
	const char *name;
	uint32_t code[10];
	bool found;
	int64_t sp; /* slots that the stack pointer moves up; -1: it is not known */
} links[] = {
	{ "a leaf", { 0, 0, 0, 0, 0x910043ff, 0xf84087e9, 0xd65f03c0 }, true, 3 },
	{ "a branch in a leaf",
	  { 0, 0, 0, 0, 0x54000040, 0x14000002, 0x94000001, 0xd65f03c0 },
	  true,
	  0 },
	{ "before it is saved", { 0, 0, 0, 0, 0xaa0003e4, 0xa9be7bfd, 0x94000001 }, true, 0 },
	{ "before it is saved elsewhere", { 0, 0, 0, 0, 0xd10083ff, 0xa9017bfd }, true, -1 },
	{ "after a call", { 0, 0, 0, 0, 0x52800000, 0xa8c27bfd, 0xd65f03c0 }, false, 0 },
	{ "before a call", { 0, 0, 0, 0, 0x52800000, 0x94000001, 0xd65f03c0 }, false, 0 },
	{ "a table of jumps", { 0, 0, 0, 0, 0x52800000, 0xd61f0040 }, false, 0 },
	{ "no code", { 0 }, false, 0 },
};

START_TEST(goes_by_a_link_register_that_is_still_good)
{
	begin((struct fake_target_image){ .machine = CAIRN_MACHINE_AARCH64, .no_sframe = true });
	for (unsigned i = 0; i < COUNT(links[_i].code); i++) {
		uint8_t code[4];
		for (unsigned k = 0; k < sizeof(code); k++)
			code[k] = (uint8_t)(links[_i].code[i] >> 8 * k);
		put_code(frame.pc - 4 * 4 + 4 * i + 4, (struct cairn_bytes){ code, sizeof(code) });
	}
	frame.value[30] = WORD(0) | 0x002a000000000000;
	put_code(WORD(0), (struct cairn_bytes)BYTES("\x00\x00\x3f\xd6")); /* blr x0 */
	frame.value[29] = SLOT(8); /* by the chain the caller would be left out */
	stack[8] = SLOT(12);
	ck_assert(climb());
	ck_assert_msg(step.method == (links[_i].found ? CAIRN_UNWIND_METHOD_CALL
	                                              : CAIRN_UNWIND_METHOD_FRAME_POINTER),
	              "%s", links[_i].name);
	if (!links[_i].found)
		return;
	ck_assert_uint_eq(step.caller.pc, WORD(0));
	expect(19, VALUE(19));
	expect(29, SLOT(8));
	if (links[_i].sp < 0)
		ck_assert(!knows(31));
	else
		expect(31, SLOT(4) + 8 * (uint64_t)links[_i].sp);
	kind = CAIRN_FRAME_RETURN; /* a caller has called since */
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER);
}
END_TEST

/* A slot of 0 below the stack pointer is no return address of 0. */
START_TEST(takes_a_null_pc_for_exact)
{
	stack[3] = 0;
	frame.pc = 0;
	ck_assert_int_eq(cairn_guess_frame_kind(space, &frame), CAIRN_FRAME_PC);
	stack[3] = frame.pc = WORD(1);
	ck_assert_int_eq(cairn_guess_frame_kind(space, &frame), CAIRN_FRAME_RETURN);
}
END_TEST

/* A pc in code has ways of its own, and a return address is not where a call went. */
START_TEST(goes_back_from_nowhere_alone)
{
	put_code(WORD(4), before[0].code);
	ck_assert(!climb());
	frame.pc = 0;
	kind = CAIRN_FRAME_RETURN;
	ck_assert(!climb());
	kind = CAIRN_FRAME_PC;
	stack[4] = BASE + FAKE_TARGET_DATA + 8;
	ck_assert(!climb());
	frame.known &= ~(1ull << 7);
	ck_assert(!climb());
}
END_TEST

START_TEST(ends_at_a_bare_entry_point)
{
	begin((struct fake_target_image){ .no_sframe = true, .entry = FAKE_TARGET_CODE });
	frame.value[6] = SLOT(8);
	kind = CAIRN_FRAME_RETURN;
	ck_assert(!climb());
	ck_assert(step.stop == CAIRN_STOP_OUTERMOST && step.at_entry && step.function == CODE);
}
END_TEST

/* What lies near the entry point may be another function: then the chain leads on, to what follows a call. */
START_TEST(leaves_a_function_near_a_bare_entry_point)
{
	begin((struct fake_target_image){ .no_sframe = true, .entry = FAKE_TARGET_CODE });
	frame.value[6] = SLOT(8);
	stack[8] = SLOT(12);
	stack[9] = WORD(4);
	kind = CAIRN_FRAME_RETURN;
	put_code(WORD(4), (struct cairn_bytes)BYTES("\xff\xd0")); /* call *%rax */
	ck_assert(climb() && step.method == CAIRN_UNWIND_METHOD_FRAME_POINTER && !step.at_entry);
	ck_assert_uint_eq(step.caller.pc, WORD(4));
	put_code(WORD(4), (struct cairn_bytes)BYTES("\x90\x90"));
	ck_assert(!climb() && step.stop == CAIRN_STOP_OUTERMOST && step.at_entry);
}
END_TEST

START_TEST(needs_a_machine)
{
	frame.machine = CAIRN_MACHINE_NONE;
	ck_assert(!climb() && step.stop == CAIRN_STOP_MACHINE);
}
END_TEST

/* 4. The host leaves in the middle, as debuggers do */

START_TEST(may_be_left_at_any_read)
{
	FRAMES(PUSHED);
	ck_assert(climb());
	const struct cairn_step whole = step;
	cairn_space_reset(space);
	for (volatile unsigned long n = 1;; n++) {
		world.reads = 0;
		world.leave_at = n;
		if (setjmp(world.out) != 0)
			continue;
		ck_assert(climb());
		break;
	}
	world.leave_at = 0;
	ck_assert(climb());
	ck_assert(memcmp(&whole.caller, &step.caller, sizeof(step.caller)) == 0);
}
END_TEST

static TCase *cases(const char *name)
{
	TCase *c = tcase_create(name);

	tcase_add_checked_fixture(c, setup, teardown);
	return c;
}

/* By the table of a Go program */

static struct gopclntab go_table;
static bool has_go_table;

static const struct gopclntab *find_go_table(void *context, uint64_t pc, uint64_t *bias)
{
	(void)context;
	(void)pc;
	*bias = BASE;
	return has_go_table ? &go_table : NULL;
}

static void set_go_table_of(enum gopclntab_layout layout, const char *second)
{
	static struct fixture_out file;
	struct fixture_go_places places;
	const struct fixture_go go = { .layout = layout, .second = second };
	struct cairn_fault fault;

	fixture_go(&file, &go, &places);
	const struct cairn_bytes bytes = { file.data + places.table, file.size - places.table };
	ck_assert_int_eq(gopclntab_open(bytes, FIXTURE_GO_TABLE, NULL, &go_table, &fault),
	                 CAIRN_OK);
	has_go_table = true;
	space->go = (struct go_tables){ find_go_table, NULL };
}

static void set_go_table(enum gopclntab_layout layout)
{
	set_go_table_of(layout, NULL);
}

START_TEST(goes_by_the_table_of_go)
{
	set_go_table((enum gopclntab_layout)_i);
	ck_assert(climb());
	ck_assert_int_eq(step.method, CAIRN_UNWIND_METHOD_GO);
	ck_assert_uint_eq(step.cfa, SLOT(8));
	ck_assert_uint_eq(step.function, CODE);
	ck_assert_uint_eq(step.caller.pc, WORD(7));
	expect(7, SLOT(8));
	expect(6, VALUE(6));
	ck_assert(step.rule.start == FAKE_TARGET_CODE + 4 &&
	          step.rule.end == FAKE_TARGET_CODE + 0x38);

	frame.value[6] = SLOT(6); /* where this frame has saved the caller's */
	ck_assert(climb());
	expect(6, WORD(6));

	frame.pc = CODE + 3; /* before the frame is made */
	ck_assert(climb());
	ck_assert_uint_eq(step.cfa, SLOT(5));
	ck_assert_uint_eq(step.caller.pc, WORD(4));

	kind = CAIRN_FRAME_RETURN; /* to there from a call that was the last of the run before */
	frame.pc = CODE + 4;
	ck_assert(climb());
	ck_assert_uint_eq(step.cfa, SLOT(5));
}
END_TEST

/* With a link register: it is in the frame at its low end, and the frame pointer below that. */
START_TEST(goes_by_the_table_of_go_with_a_link)
{
	begin((struct fake_target_image){ .machine = CAIRN_MACHINE_AARCH64, .no_sframe = true });
	set_go_table(GOPCLNTAB_1_20);
	frame.pc = CODE + AT;
	frame.value[29] = VALUE(29);
	stack[4] = WORD(9);
	ck_assert(climb());
	ck_assert_int_eq(step.method, CAIRN_UNWIND_METHOD_GO);
	ck_assert_uint_eq(step.cfa, SLOT(7));
	ck_assert_uint_eq(step.caller.pc, WORD(9));
	expect(31, SLOT(7));
	expect(29, VALUE(29));

	frame.value[29] = SLOT(3); /* this frame has saved the caller's */
	ck_assert(climb());
	expect(29, WORD(3));

	frame.pc = CODE + 3; /* before the frame is made */
	frame.value[30] = WORD(8);
	ck_assert(climb());
	ck_assert_uint_eq(step.cfa, SLOT(4));
	ck_assert_uint_eq(step.caller.pc, WORD(8));

	kind = CAIRN_FRAME_RETURN;
	frame.pc = CODE + 4;
	ck_assert(!climb() || step.method != CAIRN_UNWIND_METHOD_GO);
}
END_TEST

START_TEST(ends_where_the_table_of_go_ends)
{
	set_go_table(GOPCLNTAB_1_20);
	frame.pc = CODE + 0x45;
	ck_assert(!climb());
	ck_assert_int_eq(step.stop, CAIRN_STOP_OUTERMOST);

	frame.pc = CODE + 0x3c; /* padding, of which the table has no size */
	frame.value[6] = VALUE(6);
	ck_assert(!climb());
	ck_assert_int_eq(step.stop, CAIRN_STOP_NO_ROW);

	frame.pc = CODE + AT;
	frame.value[7] = STACK + sizeof(stack);
	ck_assert(!climb());
	ck_assert_int_eq(step.stop, CAIRN_STOP_RA_UNREADABLE);

	has_go_table = false;
	ck_assert(!climb());
	ck_assert_int_eq(step.stop, CAIRN_STOP_NO_TABLE);
}
END_TEST

/* As Go marks its signal handler: by the mark the stack ends, by the trampoline it goes on. */
START_TEST(goes_past_an_outermost_signal_handler)
{
	static const uint8_t trampoline[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };

	memcpy(image.data + FAKE_TARGET_CODE + 0x200, trampoline, sizeof(trampoline));
	stack[7] = CODE + 0x200;
	if (_i == 0) {
		set_go_table(GOPCLNTAB_1_20);
		frame.pc = CODE + 0x45;
	} else {
		FRAMES("\x0e\x20\x07\x10"); /* r16 is undefined */
	}
	ck_assert(climb());
	ck_assert_int_eq(step.stop, CAIRN_STOP_NONE);
	ck_assert_uint_eq(step.cfa, SLOT(8));
	ck_assert_uint_eq(step.caller.pc, CODE + 0x200);
	expect(7, SLOT(8));

	stack[7] = CODE + 0x204; /* inside of an instruction */
	ck_assert(!climb());
	ck_assert_int_eq(step.stop, CAIRN_STOP_OUTERMOST);
}
END_TEST

/*
 * Functions of the runtime that go to another stack. The return address, CODE + 0x18, follows a call of the function; it is in
 * slot 43 of the stack that was left, where the function was entered with the stack pointer at slot 40.
 */
enum kept { IN_WORD, IN_GOROUTINE, IN_REGISTER, IN_FP, BELOW_FP, IN_SP, NOWHERE };

static const struct crossing {
	const char *function;
	enum kept kept;
	enum cairn_stop stop;
} crossings[] = {
	{ "runtime.systemstack", IN_FP, CAIRN_STOP_NONE },
	{ "runtime.systemstack", BELOW_FP, CAIRN_STOP_NONE },
	{ "runtime.systemstack", NOWHERE, CAIRN_STOP_RA_UNREADABLE },
	{ "runtime.asmcgocall", IN_WORD, CAIRN_STOP_NONE },
	{ "runtime.asmcgocall", IN_GOROUTINE, CAIRN_STOP_NONE },
	{ "runtime.asmcgocall", NOWHERE, CAIRN_STOP_RA_UNREADABLE },
	{ "runtime.nanotime1", IN_REGISTER, CAIRN_STOP_NONE },
	{ "runtime.nanotime1", IN_SP, CAIRN_STOP_NONE },
	{ "runtime.mcall", IN_FP, CAIRN_STOP_OUTERMOST },
	{ "runtime.mcall", IN_SP, CAIRN_STOP_NONE },
	{ "runtime.morestack", NOWHERE, CAIRN_STOP_OUTERMOST },
};

static void keep_stack_pointer(enum kept kept)
{
	const uint64_t back = CODE + 0x18;

	stack[kept == IN_SP ? 7 : 43] = back;
	if (kept == IN_WORD)
		stack[5] = SLOT(40);
	if (kept == IN_GOROUTINE) {
		stack[4] = SLOT(60) - SLOT(40);
		stack[5] = SLOT(20);
		stack[21] = SLOT(60);
	}
	if (kept == IN_REGISTER)
		frame.value[12] = SLOT(40);
	if (kept == IN_FP)
		frame.value[6] = SLOT(40);
	if (kept == BELOW_FP)
		frame.value[6] = SLOT(46); /* the caller's frame has 0x18 bytes */
}

START_TEST(crosses_stacks_of_go)
{
	static const uint8_t call[] = { 0xe8, 0x28, 0, 0, 0 }; /* of CODE + 0x40, to CODE + 0x18 */
	const struct crossing *c = &crossings[_i];
	const char *name = c->function;
	/* nothing but the name tells them before Go 1.17 */
	const enum gopclntab_layout layout = strcmp(name, "runtime.nanotime1") != 0 && _i % 2 == 0
	                                             ? GOPCLNTAB_1_2
	                                             : GOPCLNTAB_1_20;

	memcpy(image.data + FAKE_TARGET_CODE + 0x13, call, sizeof(call));
	set_go_table_of(layout, name);
	frame.pc = CODE + 0x50;
	kind = CAIRN_FRAME_RETURN;
	keep_stack_pointer(c->kept);
	ck_assert_msg(climb() == (c->stop == CAIRN_STOP_NONE), "%s: %s", name,
	              cairn_stop_text(step.stop));
	ck_assert_int_eq(step.stop, c->stop);
	ck_assert_int_eq(step.method, CAIRN_UNWIND_METHOD_GO);
	if (c->stop != CAIRN_STOP_NONE)
		return;
	ck_assert_uint_eq(step.cfa, c->kept == IN_SP ? SLOT(8) : SLOT(44));
	ck_assert_uint_eq(step.caller.pc, CODE + 0x18);

	/* an address after which nothing was called: it is not told where the stack goes on */
	image.data[FAKE_TARGET_CODE + 0x13] = 0x90;
	ck_assert(!climb());
	ck_assert_int_eq(step.stop, strcmp(name, "runtime.mcall") == 0 ? CAIRN_STOP_OUTERMOST
	                                                               : CAIRN_STOP_RA_UNREADABLE);
}
END_TEST

/* The runtime makes the frame of such a call: its return address is the start of a function. */
START_TEST(goes_back_from_a_callback_of_c)
{
	set_go_table_of(GOPCLNTAB_1_20, "runtime.cgocallback");
	frame.pc = CODE + 0x50;
	kind = CAIRN_FRAME_RETURN;
	stack[7] = CODE;
	ck_assert(climb());
	ck_assert_uint_eq(step.caller.pc, CODE);
	ck_assert_int_eq(step.caller_kind, CAIRN_FRAME_PC);
}
END_TEST

/* Go calls nothing but what was linked: data is no caller, though it can be read. */
START_TEST(takes_no_data_for_a_caller_of_go)
{
	set_go_table(GOPCLNTAB_1_20);
	stack[7] = SLOT(9);
	ck_assert(!climb());
	ck_assert_int_eq(step.stop, CAIRN_STOP_RA_IMPLAUSIBLE);
}
END_TEST

/* .eh_frame comes before it. */
START_TEST(prefers_eh_frame_to_the_table_of_go)
{
	set_go_table(GOPCLNTAB_1_20);
	FRAMES(PUSHED);
	ck_assert(climb());
	ck_assert_int_eq(step.method, CAIRN_UNWIND_METHOD_CFI);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ladder");
	TCase *c = cases("cfi");

	tcase_add_test(c, tells_the_rule_alone);
	tcase_add_test(c, tells_the_rule_alone);
	tcase_add_test(c, restores_what_was_saved);
	tcase_add_loop_test(c, does_without_a_table_that_lies, 0, COUNT(lying_tables));
	tcase_add_test(c, follows_rules_of_every_kind);
	tcase_add_test(c, unwinds_signal_frames);
	tcase_add_loop_test(c, goes_past_a_call_to_nowhere_that_was_interrupted, 0, 3);
	tcase_add_test(c, goes_past_a_handler_that_is_nowhere);
	tcase_add_test(c, goes_to_another_stack);
	tcase_add_test(c, follows_a_stack_of_another_register);
	tcase_add_test(c, refuses_another_stack_that_stays);
	tcase_add_test(c, strips_signed_addresses);
	tcase_add_test(c, knows_leaves_by_the_link_register);
	tcase_add_test(c, unwinds_s390x);
	tcase_add_test(c, does_not_need_section_headers);
	tcase_add_loop_test(c, leaves_code_without_a_frame, 0, COUNT(stays));
	tcase_add_loop_test(c, bounds_frames_that_stay, 0, 2);
	tcase_add_loop_test(c, says_why_it_ends, 0, COUNT(ends));
	tcase_add_test(c, bounds_entries);
	suite_add_tcase(suite, c);
	c = cases("next");
	tcase_add_test(c, goes_on_by_sframe);
	tcase_add_test(c, follows_frame_pointers);
	tcase_add_test(c, follows_frame_records);
	tcase_add_test(c, follows_the_back_chain);
	tcase_add_test(c, follows_the_back_chain_of_32_bits);
	tcase_add_loop_test(c, doubts_frame_pointers, 0, COUNT(no_records));
	tcase_add_loop_test(c, goes_back_from_a_call_to_nowhere, 0, COUNT(before));
	tcase_add_test(c, knows_where_no_trampoline_is);
	tcase_add_loop_test(c, knows_where_no_call_is_before, 0, COUNT(before));
	tcase_add_test(c, goes_back_by_the_link_register);
	tcase_add_test(c, strips_signatures);
	tcase_add_loop_test(c, goes_by_a_link_register_that_is_still_good, 0, COUNT(links));
	tcase_add_loop_test(c, knows_stubs, 0, COUNT(stubs));
	tcase_add_loop_test(c, knows_stubs_by_the_link_register, 0, COUNT(link_stubs));
	tcase_add_test(c, searches_the_stack);
	tcase_add_test(c, searches_a_part_of_the_stack);
	tcase_add_test(c, goes_back_from_nowhere_alone);
	tcase_add_loop_test(c, guesses_by_the_link_register_where_code_is_hidden, 0, COUNT(linked));
	tcase_add_test(c, compares_the_chain_with_the_link_register);
	tcase_add_test(c, compares_the_back_chain_with_the_link_register);
	tcase_add_test(c, takes_a_null_pc_for_exact);
	tcase_add_test(c, ends_at_a_bare_entry_point);
	tcase_add_test(c, leaves_a_function_near_a_bare_entry_point);
	tcase_add_loop_test(c, goes_by_the_table_of_go, 0, GOPCLNTAB_1_20 + 1);
	tcase_add_test(c, goes_by_the_table_of_go_with_a_link);
	tcase_add_test(c, ends_where_the_table_of_go_ends);
	tcase_add_loop_test(c, goes_past_an_outermost_signal_handler, 0, 2);
	tcase_add_loop_test(c, crosses_stacks_of_go, 0, COUNT(crossings));
	tcase_add_test(c, goes_back_from_a_callback_of_c);
	tcase_add_test(c, takes_no_data_for_a_caller_of_go);
	tcase_add_test(c, prefers_eh_frame_to_the_table_of_go);
	tcase_add_test(c, needs_a_machine);
	tcase_add_test(c, may_be_left_at_any_read);
	suite_add_tcase(suite, c);
	return unit_run(suite);
}
