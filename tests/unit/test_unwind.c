/* SPDX-License-Identifier: MIT */
/* One step at a time, over arrays as stacks: each kind of rule, and each reason to stop. */
#include "fake_target.h"
#include "fixture.h"
#include "steps.h"
#include "unit.h"

#include "unwind/tables/modules.h"

enum {
	WORDS = 64,     /* on the stack */
	AT = 0x80,      /* where the stack pointer is on it */
	CALLER = 0x100, /* a second function, from its start on */
	PLACE = 0x10,   /* of the pc in the first function */
	R10 = 10,
};

#define BASE 0x400000ull
#define STACK 0x7ffe0000ull
#define SP (STACK + AT)
#define FP (STACK + 0xc0)
#define CODE (BASE + FAKE_TARGET_CODE)
/* What each word of the stack holds, by its number, and the link register. */
#define WORD(n) (CODE + CALLER + 0x10 + (n))
#define LINK (CODE + CALLER + 0x80)
#define AUTH 0x002a000000000000ull
/* Controls of flexible rows. */
#define REGISTER(n) ((n) << 3 | 1)
#define AT_REGISTER(n) ((n) << 3 | 3)

enum {
	AMD64 = CAIRN_MACHINE_AMD64,
	AARCH64 = CAIRN_MACHINE_AARCH64,
	S390X = CAIRN_MACHINE_S390X,
	PC = CAIRN_FRAME_PC,
	RETURN = CAIRN_FRAME_RETURN,
	SAME = 0xff, /* the caller's frame pointer is this frame's */
	LOST = 0xfe, /* is not known */
	IN_LINK = 0xfd,
};

/* What the usual frame lacks, or has otherwise. */
enum {
	NO_SP = 1,
	NO_FP = 2,
	NO_LINK = 4,
	ODD_FP = 8,
	LOW_FP = 16,   /* below the stack pointer */
	SIGNED = 32,   /* return addresses carry authentication bits */
	NO_STACK = 64, /* it cannot be read */
	NO_CODE = 128, /* its words are no code addresses */
};

static struct fake_target world;
static struct fixture_out image, stack;
static struct cairn_space *space;
static struct fixture_function functions[2];

/* 1. What a row may break before the step */

static void of_another_machine(struct cairn_registers *frame)
{
	(void)frame;
	image.data[18] = 183;
}

static void of_the_other_order(struct cairn_registers *frame)
{
	frame->big_endian = true;
}

static void of_no_machine(struct cairn_registers *frame)
{
	frame->machine = CAIRN_MACHINE_NONE;
}

static void table_of_another_machine(struct cairn_registers *frame)
{
	(void)frame;
	image.data[FAKE_TARGET_SFRAME + 4] = FIXTURE_AARCH64;
}

static void outside(struct cairn_registers *frame)
{
	frame->pc = BASE - 0x10;
}

static void behind_the_function(struct cairn_registers *frame)
{
	frame->pc = CODE + 0x40;
}

static void at_its_end(struct cairn_registers *frame)
{
	frame->pc = CODE + 0x40;
}

static void without_table(struct cairn_registers *frame)
{
	(void)frame;
	memset(image.data + FAKE_TARGET_SFRAME, 0, FAKE_TARGET_PAGE);
	fake_target_image(&image, &(struct fake_target_image){ .base = BASE, .no_sframe = true });
}

static void without_magic(struct cairn_registers *frame)
{
	(void)frame;
	image.data[FAKE_TARGET_SFRAME] = 0;
}

static void with_rows_outside(struct cairn_registers *frame)
{
	(void)frame;
	image.data[FAKE_TARGET_SFRAME + 28 + 10] = 0x70;
}

static void with_a_cfa_kept(struct cairn_registers *frame)
{
	(void)frame;
	fixture_out_poke(&stack, FP - 8 - STACK, STACK + 0x100, 8);
}

static void in_data(struct cairn_registers *frame)
{
	(void)frame;
	for (unsigned i = 0; i < WORDS; i++)
		fixture_out_poke(&stack, (size_t)8 * i, BASE + FAKE_TARGET_DATA, 8);
}

static void at_the_end_of_code(struct cairn_registers *frame)
{
	(void)frame;
	for (unsigned i = 0; i < WORDS; i++)
		fixture_out_poke(&stack, (size_t)8 * i, CODE + FAKE_TARGET_PAGE, 8);
}

static void in_generated_code(struct cairn_registers *frame)
{
	(void)frame;
	for (unsigned i = 0; i < WORDS; i++)
		fixture_out_poke(&stack, (size_t)8 * i, STACK + 0x18, 8);
}

/* 2. The rows */

/* Rows with so many words, and what comes out. */
#define BY_SP(cfa) .row = { 0, FIXTURE_SP | FIXTURE_WORDS(1, 0), { cfa } }
#define BY_FP(cfa) .row = { 0, FIXTURE_FP | FIXTURE_WORDS(1, 0), { cfa } }
#define BY_SP2(...) .row = { 0, FIXTURE_SP | FIXTURE_WORDS(2, 0), { __VA_ARGS__ } }
#define BY_FP2(...) .row = { 0, FIXTURE_FP | FIXTURE_WORDS(2, 0), { __VA_ARGS__ } }
#define BY_SP3(...) .row = { 0, FIXTURE_SP | FIXTURE_WORDS(3, 0), { __VA_ARGS__ } }
#define BY_FP3(...) .row = { 0, FIXTURE_FP | FIXTURE_WORDS(3, 0), { __VA_ARGS__ } }
#define FLEXIBLE2(...) .version = 3, .type = 1, .row = { 0, FIXTURE_WORDS(2, 0), { __VA_ARGS__ } }
#define FLEXIBLE4(...) .version = 3, .type = 1, .row = { 0, FIXTURE_WORDS(4, 0), { __VA_ARGS__ } }
#define WELL(at, ra, fp) .cfa = (at), .ra_word = (ra), .fp_word = (fp)
#define STOP(why) .stop = CAIRN_STOP_##why

static const struct row {
	const char *name;
	int machine, kind;
	uint8_t version, type, function_info; /* of the function; version 0: 2 */
	struct fixture_row row;
	unsigned frame;
	void (*prepare)(struct cairn_registers *frame);
	enum cairn_stop stop;
	uint64_t cfa;             /* from the start of the stack */
	uint8_t ra_word, fp_word; /* of the stack, or SAME, LOST, IN_LINK */
} rows[] = {
	/* amd64: the return address lies below the CFA */
	{ "amd64 sp+8", AMD64, PC, BY_SP(8), WELL(AT + 8, 16, SAME) },
	{ "amd64 sp+24, fp saved", AMD64, PC, BY_SP2(24, -16), WELL(AT + 24, 18, 17) },
	{ "amd64 fp+16", AMD64, RETURN, BY_FP2(16, -16), WELL(0xd0, 25, 24) },
	{ "amd64 without a frame pointer", AMD64, PC, .frame = NO_FP, BY_SP(8),
	  WELL(AT + 8, 16, LOST) },
	{ "amd64 behind a call that does not return", AMD64, RETURN, BY_SP(8),
	  .prepare = at_its_end, WELL(AT + 8, 16, SAME) },
	{ "amd64 called from generated code", AMD64, PC, BY_SP(8), .prepare = in_generated_code,
	  WELL(AT + 8, 16, SAME) },
	{ "amd64 called by the last instruction of all", AMD64, PC, BY_SP(8),
	  .prepare = at_the_end_of_code, WELL(AT + 8, 16, SAME) },

	/* amd64, version 3: flexible rows */
	{ "amd64 cfa in r10", AMD64, PC, FLEXIBLE2(REGISTER(R10), 0), WELL(0x100, 31, SAME) },
	{ "amd64 cfa at fp-8", AMD64, PC, FLEXIBLE2(AT_REGISTER(6), -8), .prepare = with_a_cfa_kept,
	  WELL(0x100, 31, SAME) },
	{ "amd64 no cfa at fp-8", AMD64, PC, FLEXIBLE2(AT_REGISTER(6), -8), STOP(CFA_IMPLAUSIBLE) },
	{ "amd64 return address in r10", AMD64, PC, FLEXIBLE4(REGISTER(7), 8, REGISTER(R10), 0),
	  WELL(AT + 8, R10, SAME) },
	{ "amd64 an interrupted caller", AMD64, PC, .version = 3, .function_info = FIXTURE_SIGNAL,
	  BY_SP(8), WELL(AT + 8, 16, SAME) },

	/* aarch64: calls put the return address in x30 */
	{ "aarch64 leaf", AARCH64, PC, BY_SP(0), WELL(AT, IN_LINK, SAME) },
	{ "aarch64 leaf with locals", AARCH64, PC, BY_SP(32), WELL(AT + 32, IN_LINK, SAME) },
	{ "aarch64 all saved", AARCH64, RETURN, BY_SP3(32, -24, -32), WELL(AT + 32, 17, 16) },
	{ "aarch64 by fp", AARCH64, RETURN, BY_FP3(16, -8, -16), WELL(0xd0, 25, 24) },
	{ "aarch64 signed", AARCH64, RETURN, .frame = SIGNED,
	  .row = { 0, FIXTURE_SP | FIXTURE_MANGLED | FIXTURE_WORDS(3, 0), { 32, -24, -32 } },
	  WELL(AT + 32, 17, LOST) },

	/* s390x: the CFA lies 160 above the caller's stack pointer */
	{ "s390x leaf", S390X, PC, BY_SP(0), WELL(AT + 160, IN_LINK, SAME) },
	{ "s390x all saved", S390X, RETURN, BY_SP3(20, -48, -72), WELL(AT + 320, 50, 47) },
	{ "s390x kept in r10", S390X, PC, BY_SP2(0, R10 << 1 | 1), WELL(AT + 160, R10, SAME) },

	/* no next frame */
	{ "no words", AMD64, RETURN, .row = { 0, FIXTURE_SP, { 0 } }, STOP(OUTERMOST), .cfa = AT },
	{ "no module", AMD64, PC, .prepare = outside, BY_SP(8), STOP(NO_MODULE) },
	{ "no table", AMD64, PC, .prepare = without_table, BY_SP(8), STOP(NO_TABLE) },
	{ "no row behind the function", AMD64, PC, .prepare = behind_the_function, BY_SP(8),
	  STOP(NO_ROW) },
	{ "no row so early", AMD64, PC,
	  .row = { PLACE + 1, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 8 } }, STOP(NO_ROW) },
	{ "no table by its magic", AMD64, PC, .prepare = without_magic, BY_SP(8), STOP(BAD_TABLE) },
	{ "rows outside", AMD64, PC, .prepare = with_rows_outside, BY_SP(8), STOP(BAD_TABLE) },
	{ "a module of another machine", AMD64, PC, .prepare = of_another_machine, BY_SP(8),
	  STOP(MACHINE) },
	{ "of the other byte order", AARCH64, PC, .prepare = of_the_other_order, BY_SP(0),
	  STOP(MACHINE) },
	{ "no machine", AMD64, PC, .prepare = of_no_machine, BY_SP(8), STOP(MACHINE) },
	{ "a table of another machine", AMD64, PC, .prepare = table_of_another_machine, BY_SP(8),
	  STOP(MACHINE) },
	{ "sp not known", AMD64, PC, .frame = NO_SP, BY_SP(8), STOP(CFA_UNKNOWN) },
	{ "fp not known", AMD64, PC, .frame = NO_FP, BY_FP(16), STOP(CFA_UNKNOWN) },
	{ "cfa in memory that cannot be read", AMD64, PC, .frame = NO_STACK,
	  FLEXIBLE2(AT_REGISTER(6), -8), STOP(CFA_UNKNOWN) },
	{ "amd64 a cfa that does not move", AMD64, PC, BY_SP(0), STOP(CFA_IMPLAUSIBLE) },
	{ "aarch64 a cfa that does not move, not in a leaf", AARCH64, PC, BY_SP2(0, -8),
	  STOP(CFA_IMPLAUSIBLE) },
	{ "a cfa below the stack pointer", AARCH64, PC, BY_SP(-8), STOP(CFA_IMPLAUSIBLE) },
	{ "a cfa that is not aligned", AMD64, PC, BY_SP(12), STOP(CFA_IMPLAUSIBLE) },
	{ "fp not aligned", AMD64, PC, .frame = ODD_FP, BY_FP(16), STOP(CFA_IMPLAUSIBLE) },
	{ "fp below the stack pointer", AMD64, PC, .frame = LOW_FP, BY_FP(64),
	  STOP(CFA_IMPLAUSIBLE) },
	{ "the link is lost", AARCH64, RETURN, BY_SP(32), STOP(LINK_UNKNOWN) },
	{ "the link is not known", AARCH64, PC, .frame = NO_LINK, BY_SP(32), STOP(LINK_UNKNOWN) },
	{ "the return address cannot be read", AMD64, PC, .frame = NO_STACK, BY_SP(8),
	  STOP(RA_UNREADABLE) },
	{ "the return address is no address", AMD64, PC, .frame = NO_CODE, BY_SP(8),
	  STOP(RA_IMPLAUSIBLE), .cfa = AT + 8 },
	{ "the return address is data", AMD64, PC, .prepare = in_data, BY_SP(8),
	  STOP(RA_IMPLAUSIBLE), .cfa = AT + 8 },
};

/* 3. One step */

static const struct {
	unsigned sp, fp, link;
} numbers[] = { [AMD64] = { 7, 6, 16 }, [AARCH64] = { 31, 29, 30 }, [S390X] = { 15, 11, 14 } };

static void set(struct cairn_registers *r, unsigned number, uint64_t value)
{
	r->value[number] = value;
	r->known |= 1ull << number;
}

static void make_image(const struct row *row)
{
	static const struct fixture_row plain = { 0, FIXTURE_SP | FIXTURE_WORDS(1, 0), { 16 } };

	functions[0] = (struct fixture_function){ FAKE_TARGET_CODE, 0x40, row->function_info,
		                                  row->type,        0,    1,
		                                  &row->row };
	functions[1] = (struct fixture_function){
		FAKE_TARGET_CODE + CALLER, 0x400, FIXTURE_ADDR1, 0, 0, 1, &plain
	};
	fake_target_image(&image,
	                  &(struct fake_target_image){ .base = BASE,
	                                               .machine = (enum cairn_machine)row->machine,
	                                               .big = row->machine == S390X,
	                                               .version = row->version,
	                                               .count = 2,
	                                               .functions = functions });
}

static void make_stack(const struct row *row)
{
	stack.size = 0;
	stack.big = row->machine == S390X;
	for (unsigned i = 0; i < WORDS; i++)
		fixture_out_put(&stack,
		                row->frame & NO_CODE  ? 0x1234
		                : row->frame & SIGNED ? WORD(i) | AUTH
		                                      : WORD(i),
		                8);
}

static struct cairn_registers make_frame(const struct row *row)
{
	struct cairn_registers frame = { .machine = (enum cairn_machine)row->machine,
		                         .big_endian = row->machine == S390X,
		                         .pc = CODE + PLACE };
	unsigned f = row->frame;

	if (!(f & NO_SP))
		set(&frame, numbers[row->machine].sp, SP);
	if (!(f & NO_FP))
		set(&frame, numbers[row->machine].fp,
		    f & ODD_FP   ? FP + 1
		    : f & LOW_FP ? SP - 8
		                 : FP);
	if (!(f & NO_LINK))
		set(&frame, numbers[row->machine].link, LINK);
	set(&frame, R10, row->ra_word == R10 ? LINK + 1 : STACK + 0x100);
	return frame;
}

static bool step_over(const struct row *row, struct cairn_step *step)
{
	fake_target_init(&world);
	make_image(row);
	make_stack(row);
	struct cairn_registers frame = make_frame(row);
	if (row->prepare)
		row->prepare(&frame);
	fake_target_map(&world, BASE, image.data, image.size);
	if (!(row->frame & NO_STACK))
		fake_target_map(&world, STACK, stack.data, stack.size);
	space = cairn_space_new(&world.target);
	ck_assert_ptr_nonnull(space);
	return step_by_sframe(space, &frame, (enum cairn_frame_kind)row->kind, step);
}

static uint64_t stack_word(unsigned number)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value = value << 8 | stack.data[8 * number + (stack.big ? i : 7 - i)];
	return value;
}

static void check_caller(const struct row *row, const struct cairn_step *step)
{
	const struct cairn_registers *caller = &step->caller;
	unsigned sp = numbers[row->machine].sp, fp = numbers[row->machine].fp;
	uint64_t pc = row->ra_word == IN_LINK ? LINK
	              : row->ra_word == R10   ? LINK + 1
	                                      : stack_word(row->ra_word);

	if (row->frame & SIGNED)
		pc &= ~AUTH;
	ck_assert_msg(caller->pc == pc, "%s: pc %#lx", row->name, (unsigned long)caller->pc);
	ck_assert(caller->known >> sp & 1);
	ck_assert_msg(caller->value[sp] == step->cfa - (row->machine == S390X ? 160 : 0),
	              "%s: sp %#lx", row->name, (unsigned long)caller->value[sp]);
	if (row->machine != AMD64)
		ck_assert(caller->value[numbers[row->machine].link] == pc);
	ck_assert(caller->machine == (enum cairn_machine)row->machine);
	ck_assert(caller->big_endian == (row->machine == S390X));
	if (row->frame & SIGNED)
		return;
	ck_assert_msg((caller->known >> fp & 1) == (row->fp_word != LOST), "%s: fp", row->name);
	if (row->fp_word != LOST)
		ck_assert_msg(caller->value[fp] ==
		                      (row->fp_word == SAME ? FP : stack_word(row->fp_word)),
		              "%s: fp %#lx", row->name, (unsigned long)caller->value[fp]);
}

START_TEST(steps)
{
	const struct row *row = &rows[_i];
	struct cairn_step step;
	bool found = step_over(row, &step);
	bool signal = row->function_info == FIXTURE_SIGNAL;

	ck_assert_msg(step.stop == row->stop, "%s: %s", row->name, cairn_stop_name(step.stop));
	ck_assert(found == (row->stop == CAIRN_STOP_NONE));
	if (found || row->cfa)
		ck_assert_msg(step.cfa == STACK + row->cfa, "%s: cfa %#lx", row->name,
		              (unsigned long)step.cfa);
	if (found || row->cfa)
		ck_assert_uint_eq(step.function, CODE);
	ck_assert((step.fault.status != CAIRN_OK) ==
	          (row->stop == CAIRN_STOP_BAD_TABLE || row->stop == CAIRN_STOP_NO_ROW));
	if (found) {
		check_caller(row, &step);
		ck_assert_int_eq(step.caller_kind, signal ? PC : RETURN);
		ck_assert(!step.at_entry && !step.signal);
	}
	cairn_space_free(space);
}
END_TEST

/* For a host that shows whatever the stack holds: the same but for the question whether it is code. */
START_TEST(takes_any_return_address_unchecked)
{
	const struct row *row = &rows[_i];
	struct cairn_step step, unchecked;

	bool found = step_over(row, &step);
	struct cairn_registers frame = make_frame(row);
	if (row->prepare)
		row->prepare(&frame);
	bool taken = step_unchecked(space, &frame, (enum cairn_frame_kind)row->kind, &unchecked);
	bool implausible = step.stop == CAIRN_STOP_RA_IMPLAUSIBLE;
	ck_assert(taken == (found || implausible));
	ck_assert_int_eq(unchecked.stop, implausible ? CAIRN_STOP_NONE : step.stop);
	ck_assert_uint_eq(unchecked.cfa, step.cfa);
	ck_assert_uint_eq(unchecked.caller.known, step.caller.known);
	ck_assert_uint_eq(unchecked.caller.pc, step.caller.pc);
	cairn_space_free(space);
}
END_TEST

START_TEST(stops_for_every_reason)
{
	uint32_t seen = 0;

	for (size_t i = 0; i < COUNT(rows); i++)
		seen |= 1u << rows[i].stop;
	ck_assert_uint_eq(seen, (2u << CAIRN_STOP_RA_IMPLAUSIBLE) - 1);
}
END_TEST

START_TEST(has_words_for_every_stop)
{
	for (int stop = CAIRN_STOP_NONE; stop <= CAIRN_STOP_RA_IMPLAUSIBLE; stop++) {
		const char *name = cairn_stop_name((enum cairn_stop)stop);
		const char *text = cairn_stop_text((enum cairn_stop)stop);
		ck_assert(strlen(name) > 0 && strchr(name, ' ') == NULL && strlen(text) > 0);
		for (int other = 0; other < stop; other++)
			ck_assert_str_ne(name, cairn_stop_name((enum cairn_stop)other));
	}
}
END_TEST

/* 4. Where the program begins */

/* Set up as in a row, but with an entry point; by any method, or by SFrame alone as a host does. */
static bool step_row_with_entry(bool any, const struct row *row, uint64_t entry, uint64_t pc,
                                enum cairn_frame_kind kind, struct cairn_step *step)
{
	struct cairn_registers frame = make_frame(row);

	fake_target_init(&world);
	make_image(row);
	make_stack(row);
	for (unsigned i = 0; i < 8; i++)
		image.data[24 + i] = (uint8_t)(entry >> 8 * i);
	fake_target_map(&world, BASE, image.data, image.size);
	fake_target_map(&world, STACK, stack.data, stack.size);
	space = cairn_space_new(&world.target);
	ck_assert_ptr_nonnull(space);
	frame.pc = pc;
	bool found = any ? step_by_any(space, &frame, kind, step)
	                 : step_by_sframe(space, &frame, kind, step);
	cairn_space_free(space);
	return found;
}

static bool step_with_entry(uint64_t entry, uint64_t pc, enum cairn_frame_kind kind,
                            struct cairn_step *step)
{
	return step_row_with_entry(false, &rows[0], entry, pc, kind, step);
}

START_TEST(ends_where_the_program_begins)
{
	struct cairn_step step;

	ck_assert(!step_with_entry(CODE, CODE + PLACE, CAIRN_FRAME_PC, &step));
	ck_assert_int_eq(step.stop, CAIRN_STOP_OUTERMOST);
	ck_assert(step.at_entry && step.function == CODE && step.cfa == SP + 8);
	/* an entry point amid a function is not its beginning */
	ck_assert(step_with_entry(CODE + 4, CODE + PLACE, CAIRN_FRAME_PC, &step));
	ck_assert(!step.at_entry);
}
END_TEST

/* A start in C has a rule as other functions have, and the number of arguments where a return address would be. */
START_TEST(ends_where_the_rule_leads_to_no_code)
{
	struct cairn_step step;

	struct row row = rows[0];

	row.frame |= NO_CODE;
	ck_assert(!step_row_with_entry(true, &row, CODE, CODE + PLACE, CAIRN_FRAME_PC, &step));
	ck_assert_int_eq(step.stop, CAIRN_STOP_OUTERMOST);
	/* a host that steps by SFrame alone hears what the rule gives */
	ck_assert(!step_row_with_entry(false, &row, CODE, CODE + PLACE, CAIRN_FRAME_PC, &step));
	ck_assert_int_eq(step.stop, CAIRN_STOP_RA_IMPLAUSIBLE);
	ck_assert(!step_row_with_entry(false, &row, CODE + 4, CODE + PLACE, CAIRN_FRAME_PC, &step));
	ck_assert_int_eq(step.stop, CAIRN_STOP_RA_IMPLAUSIBLE);
}
END_TEST

START_TEST(ends_at_an_entry_without_a_row)
{
	const uint64_t entry = CODE + 0x80; /* between the two functions */
	struct cairn_step step;

	ck_assert(!step_with_entry(entry, entry + 0x20, CAIRN_FRAME_RETURN, &step));
	ck_assert_int_eq(step.stop, CAIRN_STOP_NO_ROW);
	ck_assert(step.at_entry && step.function == entry && step.cfa == SP);
	/* not in the innermost frame, and not further behind it */
	ck_assert(!step_with_entry(entry, entry + 0x20, CAIRN_FRAME_PC, &step));
	ck_assert(step.stop == CAIRN_STOP_NO_ROW && !step.at_entry);
	ck_assert(!step_with_entry(entry, entry + 0x40, CAIRN_FRAME_RETURN, &step));
	ck_assert(step.stop == CAIRN_STOP_NO_ROW && !step.at_entry);
	ck_assert(!step_with_entry(entry, entry - 4, CAIRN_FRAME_RETURN, &step));
	ck_assert(!step.at_entry);
}
END_TEST

/* 5. Signal trampolines */

static const uint8_t amd64_return[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
static const uint8_t aarch64_return[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };

static const struct {
	const char *name;
	int machine;
	bool big;
	size_t offset;  /* of the pc in the trampoline */
	size_t context; /* of its first register from the stack pointer */
	bool alone;     /* the first thing in its mapping */
	bool found;
} trampolines[] = {
	{ "amd64", AMD64, false, 0, 40, false, true },
	{ "amd64, second instruction", AMD64, false, 7, 40, false, true },
	{ "amd64, alone", AMD64, false, 0, 40, true, true },
	{ "amd64, amid the first instruction", AMD64, false, 3, 40, false, false },
	{ "amd64, behind it", AMD64, false, 9, 40, false, false },
	{ "aarch64", AARCH64, false, 0, 312, false, true },
	{ "aarch64, second instruction", AARCH64, false, 4, 312, false, true },
	{ "aarch64_be", AARCH64, true, 0, 312, false, true },
	{ "s390x has others", S390X, true, 0, 40, false, false },
};

static struct cairn_registers trampoline_frame(int i, uint64_t *start)
{
	static uint8_t code[FAKE_TARGET_PAGE];
	int machine = trampolines[i].machine;
	bool amd64 = machine != AARCH64;
	struct cairn_registers frame = { .machine = (enum cairn_machine)machine,
		                         .big_endian = trampolines[i].big };
	size_t at = trampolines[i].alone ? 0 : 0x100;

	fake_target_init(&world);
	memset(code, 0, sizeof(code));
	memcpy(code + at, amd64 ? amd64_return : aarch64_return,
	       amd64 ? sizeof(amd64_return) : sizeof(aarch64_return));
	fake_target_map(&world, BASE, code, sizeof(code));
	*start = BASE + at;
	frame.pc = *start + trampolines[i].offset;
	set(&frame, numbers[machine].sp, STACK);
	stack.size = 0;
	stack.big = trampolines[i].big;
	while (stack.size < trampolines[i].context)
		fixture_out_put(&stack, 0xee, 1);
	for (uint64_t n = 0; n < 33; n++) /* a number each */
		fixture_out_put(&stack, 0x1000 + n, 8);
	fake_target_map(&world, STACK, stack.data, stack.size);
	return frame;
}

START_TEST(unwinds_trampolines)
{
	/* order of struct sigcontext: r8 ... r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip */
	static const uint8_t amd64_place[] = {
		13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7
	};
	uint64_t start, at = 0;
	struct cairn_registers frame = trampoline_frame(_i, &start);
	struct cairn_step step;

	space = cairn_space_new(&world.target);
	ck_assert_ptr_nonnull(space);
	ck_assert_msg(cairn_find_signal_trampoline(space, &frame, &at) == trampolines[_i].found,
	              "%s", trampolines[_i].name);
	bool found = step_by_sframe(space, &frame, CAIRN_FRAME_PC, &step);
	ck_assert(found == trampolines[_i].found && step.signal == found);
	if (found) {
		bool amd64 = trampolines[_i].machine == AMD64;
		ck_assert(at == start && step.function == start && step.cfa == STACK);
		ck_assert_int_eq(step.caller_kind, CAIRN_FRAME_PC);
		ck_assert_uint_eq(step.caller.pc, 0x1000 + (amd64 ? 16 : 32));
		for (unsigned n = 0; n < (amd64 ? 16u : 32u); n++) {
			ck_assert(step.caller.known >> n & 1);
			ck_assert_uint_eq(step.caller.value[n],
			                  0x1000u + (amd64 ? amd64_place[n] : n));
		}
		ck_assert_int_eq(cairn_guess_frame_kind(space, &frame), CAIRN_FRAME_PC);
	}
	cairn_space_free(space);
}
END_TEST

/* Frames of signals whose trampolines' code is not at hand: what is put where, from the stack pointer on, and where the pc is then. */
static const struct {
	const char *name;
	enum cairn_machine machine;
	bool big;
	unsigned sp;
	struct {
		size_t at;
		uint64_t value;
		size_t size;
	} marks[5];
	size_t pc_at, sp_at, word;
	bool found;
} signal_frames[] = {
	{ "amd64",
	  CAIRN_MACHINE_AMD64,
	  false,
	  7,
	  { { 184, 0x33, 2 }, { 190, 0x2b, 2 } },
	  168,
	  160,
	  8,
	  true },
	{ "amd64 without the stack's selector",
	  CAIRN_MACHINE_AMD64,
	  false,
	  7,
	  { { 184, 0x33, 2 } },
	  168,
	  160,
	  8,
	  false },
	{ "amd64 with a link",
	  CAIRN_MACHINE_AMD64,
	  false,
	  7,
	  { { 184, 0x33, 2 }, { 190, 0x2b, 2 }, { 8, 1, 8 } },
	  168,
	  160,
	  8,
	  false },
	{ "aarch64",
	  CAIRN_MACHINE_AARCH64,
	  false,
	  31,
	  { { 592, 0x46508001, 4 } },
	  568,
	  560,
	  8,
	  true },
	{ "aarch64 without floats",
	  CAIRN_MACHINE_AARCH64,
	  false,
	  31,
	  { { 0, 11, 4 } },
	  568,
	  560,
	  8,
	  false },
	{ "riscv64",
	  CAIRN_MACHINE_RISCV64,
	  false,
	  2,
	  { { 0, 11, 4 }, { 8, 1, 4 } },
	  304,
	  320,
	  8,
	  true },
	{ "riscv64 without a signal",
	  CAIRN_MACHINE_RISCV64,
	  false,
	  2,
	  { { 0, 0, 4 } },
	  304,
	  320,
	  8,
	  false },
	{ "riscv64 with an errno",
	  CAIRN_MACHINE_RISCV64,
	  false,
	  2,
	  { { 0, 11, 4 }, { 4, 1, 4 } },
	  304,
	  320,
	  8,
	  false },
	{ "riscv64 with an odd code",
	  CAIRN_MACHINE_RISCV64,
	  false,
	  2,
	  { { 0, 11, 4 }, { 8, 129, 4 } },
	  304,
	  320,
	  8,
	  false },
	{ "s390x",
	  CAIRN_MACHINE_S390X,
	  true,
	  15,
	  { { 168, 6, 4 }, { 176, 0xfffffffa, 4 } },
	  344,
	  472,
	  8,
	  true },
	{ "i386",
	  CAIRN_MACHINE_I386,
	  false,
	  4,
	  { { 0, 11, 4 },
	    { 4, STACK + 12, 4 },
	    { 8, STACK + 140, 4 },
	    { 220, 0x23, 4 },
	    { 232, 0x2b, 4 } },
	  216,
	  188,
	  4,
	  true },
	{ "i386 without its own addresses",
	  CAIRN_MACHINE_I386,
	  false,
	  4,
	  { { 0, 11, 4 }, { 4, STACK + 12, 4 }, { 220, 0x23, 4 }, { 232, 0x2b, 4 } },
	  216,
	  188,
	  4,
	  false },
	{ "arm", CAIRN_MACHINE_ARM, false, 13, { { 0, 11, 4 } }, 220, 212, 4, true },
};

START_TEST(knows_signal_frames_without_code)
{
	const size_t word = signal_frames[_i].word;
	struct cairn_registers frame = { .machine = signal_frames[_i].machine,
		                         .big_endian = signal_frames[_i].big,
		                         .pc = BASE };
	uint64_t start = 0;
	struct cairn_step step;

	fake_target_init(&world);
	set(&frame, signal_frames[_i].sp, STACK);
	stack.size = 0;
	stack.big = signal_frames[_i].big;
	for (size_t n = 0; n < 128; n++)
		fixture_out_put(&stack, 0, 8);
	for (size_t n = 0; n < COUNT(signal_frames[_i].marks) && signal_frames[_i].marks[n].size;
	     n++)
		fixture_out_poke(&stack, signal_frames[_i].marks[n].at,
		                 signal_frames[_i].marks[n].value, signal_frames[_i].marks[n].size);
	fixture_out_poke(&stack, signal_frames[_i].pc_at, BASE + 0x10, word);
	fixture_out_poke(&stack, signal_frames[_i].sp_at, STACK + 0x400, word);
	fake_target_map(&world, STACK, stack.data, stack.size);
	space = cairn_space_new(&world.target);
	ck_assert_ptr_nonnull(space);
	ck_assert_msg(cairn_find_signal_trampoline(space, &frame, &start) ==
	                      signal_frames[_i].found,
	              "%s", signal_frames[_i].name);
	ck_assert(step_by_sframe(space, &frame, CAIRN_FRAME_RETURN, &step) ==
	          signal_frames[_i].found);
	if (signal_frames[_i].found) {
		ck_assert(step.signal && start == BASE && step.caller_kind == CAIRN_FRAME_PC);
		ck_assert_uint_eq(step.caller.pc, BASE + 0x10);
		ck_assert_uint_eq(step.caller.value[signal_frames[_i].sp], STACK + 0x400);
	}
	cairn_space_free(space);
}
END_TEST

/* The context of s390x: a mask, the pc, 16 registers, 8 words for others, control, 16 of floats. */
static void put_s390x_context(void)
{
	for (uint64_t n = 0; n < 2 + 16 + 8 + 1 + 16; n++)
		fixture_out_put(&stack, 0x1000 + n, 8);
}

static const struct {
	const char *name;
	uint8_t code[2];
	size_t pointer, context; /* from the stack pointer; 0: no pointer leads to it */
	bool found, unwound;
} s390x_trampolines[] = {
	{ "svc 119", { 0x0a, 119 }, 168, 400, true, true },
	{ "svc 173", { 0x0a, 173 }, 0, 336, true, true },
	{ "svc 119, and the context cannot be read", { 0x0a, 119 }, 0, 400, true, false },
	{ "svc 118", { 0x0a, 118 }, 168, 400, false, false },
};

static struct cairn_registers s390x_trampoline_frame(int i)
{
	static uint8_t code[FAKE_TARGET_PAGE];
	struct cairn_registers frame = { .machine = CAIRN_MACHINE_S390X, .big_endian = true };

	fake_target_init(&world);
	memcpy(code, s390x_trampolines[i].code, 2);
	fake_target_map(&world, BASE, code, sizeof(code));
	frame.pc = BASE;
	set(&frame, numbers[S390X].sp, STACK);
	stack.size = 0;
	stack.big = true;
	while (stack.size < s390x_trampolines[i].context)
		fixture_out_put(&stack, 0, 8);
	put_s390x_context();
	if (s390x_trampolines[i].pointer)
		fixture_out_poke(&stack, s390x_trampolines[i].pointer,
		                 STACK + s390x_trampolines[i].context, 8);
	fake_target_map(&world, STACK, stack.data, stack.size);
	return frame;
}

START_TEST(unwinds_s390x_trampolines)
{
	/* f0, f2, f4, f6, f1, f3, f5, f7, f8, f10, f12, f14, f9, f11, f13, f15 have 16 to 31 */
	static const uint8_t floats[] = { 0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15 };
	struct cairn_registers frame = s390x_trampoline_frame(_i);
	struct cairn_step step;
	uint64_t at = 0;

	space = cairn_space_new(&world.target);
	ck_assert_ptr_nonnull(space);
	ck_assert(cairn_find_signal_trampoline(space, &frame, &at) == s390x_trampolines[_i].found);
	ck_assert(step_by_sframe(space, &frame, CAIRN_FRAME_PC, &step) ==
	          s390x_trampolines[_i].unwound);
	ck_assert(step.signal == s390x_trampolines[_i].found);
	if (s390x_trampolines[_i].unwound) {
		ck_assert(at == BASE && step.function == BASE && step.cfa == STACK + 160);
		ck_assert_int_eq(step.caller_kind, CAIRN_FRAME_PC);
		ck_assert_uint_eq(step.caller.pc, 0x1001);
		ck_assert_uint_eq(step.caller.known, UINT32_MAX);
		for (unsigned n = 0; n < 16; n++) {
			ck_assert_uint_eq(step.caller.value[n], 0x1002 + n);
			ck_assert_uint_eq(step.caller.value[16 + n], 0x1000u + 27 + floats[n]);
		}
	}
	cairn_space_free(space);
}
END_TEST

/* Registers that a machine's signal frame holds at words of its context. */
static const struct {
	const char *name;
	enum cairn_machine machine;
	bool big;
	struct cairn_bytes code;
	size_t at;       /* of the pc in the code */
	unsigned sp;     /* its number */
	size_t context;  /* bytes from the stack pointer */
	size_t word, pc; /* pc: which word it is */
	struct {
		unsigned number, word;
	} expect[3];
	size_t pointer; /* bytes from the stack pointer to the address of the context; 0: none */
} other_trampolines[] = {
	{ "i386",
	  CAIRN_MACHINE_I386,
	  false,
	  BYTES("\x58\xb8\x77\0\0\0\xcd\x80"),
	  0,
	  4,
	  4,
	  4,
	  14,
	  { { 4, 7 }, { 5, 6 }, { 3, 8 } },
	  0 },
	{ "i386, after its pop",
	  CAIRN_MACHINE_I386,
	  false,
	  BYTES("\x58\xb8\x77\0\0\0\xcd\x80"),
	  1,
	  4,
	  0,
	  4,
	  14,
	  { { 4, 7 }, { 7, 4 }, { 0, 11 } },
	  0 },
	{ "i386 with siginfo",
	  CAIRN_MACHINE_I386,
	  false,
	  BYTES("\xb8\xad\0\0\0\xcd\x80"),
	  0,
	  4,
	  160,
	  4,
	  14,
	  { { 4, 7 }, { 6, 5 }, { 0, 11 } },
	  0 },
	{ "ppc64le",
	  CAIRN_MACHINE_PPC64,
	  false,
	  BYTES("\x80\0\x21\x38\xac\0\0\x38\x02\0\0\x44"),
	  0,
	  1,
	  360,
	  8,
	  32,
	  { { 1, 1 }, { 31, 31 }, { 32, 36 } },
	  0 },
	{ "ppc64le, after its frame",
	  CAIRN_MACHINE_PPC64,
	  false,
	  BYTES("\x80\0\x21\x38\xac\0\0\x38\x02\0\0\x44"),
	  4,
	  1,
	  232,
	  8,
	  32,
	  { { 1, 1 }, { 14, 14 }, { 32, 36 } },
	  0 },
	{ "ppc64",
	  CAIRN_MACHINE_PPC64,
	  true,
	  BYTES("\x38\x21\0\x80\x38\0\0\xac\x44\0\0\x02"),
	  0,
	  1,
	  360,
	  8,
	  32,
	  { { 1, 1 }, { 31, 31 }, { 32, 36 } },
	  0 },
	{ "x32",
	  CAIRN_MACHINE_X32,
	  false,
	  BYTES("\x48\xc7\xc0\x01\x02\0\x40\x0f\x05"),
	  7,
	  7,
	  24,
	  8,
	  16,
	  { { 7, 15 }, { 6, 10 }, { 3, 11 } },
	  0 },
	{ "arm",
	  CAIRN_MACHINE_ARM,
	  false,
	  BYTES("\x77\x70\xa0\xe3\0\0\0\xef"),
	  0,
	  13,
	  32,
	  4,
	  15,
	  { { 13, 13 }, { 14, 14 }, { 11, 11 } },
	  0 },
	{ "arm with siginfo, as Thumb code",
	  CAIRN_MACHINE_ARM,
	  false,
	  BYTES("\xad\x27\0\xdf"),
	  2,
	  13,
	  160,
	  4,
	  15,
	  { { 13, 13 }, { 14, 14 }, { 11, 11 } },
	  0 },
	{ "s390",
	  CAIRN_MACHINE_S390,
	  true,
	  BYTES("\x0a\x77"),
	  0,
	  15,
	  256,
	  4,
	  1,
	  { { 15, 17 }, { 14, 16 }, { 6, 8 } },
	  104 },
	{ "ppc",
	  CAIRN_MACHINE_PPC,
	  true,
	  BYTES("\x38\0\0\x77\x44\0\0\x02"),
	  0,
	  1,
	  256,
	  4,
	  32,
	  { { 1, 1 }, { 31, 31 }, { 32, 36 } },
	  92 },
	{ "ppc with siginfo",
	  CAIRN_MACHINE_PPC,
	  true,
	  BYTES("\x38\0\0\xac\x44\0\0\x02"),
	  4,
	  1,
	  264,
	  4,
	  32,
	  { { 1, 1 }, { 31, 31 }, { 32, 36 } },
	  256 },
	{ "s390 with siginfo",
	  CAIRN_MACHINE_S390,
	  true,
	  BYTES("\x0a\xad"),
	  0,
	  15,
	  256,
	  4,
	  1,
	  { { 15, 17 }, { 14, 16 }, { 6, 8 } },
	  0 },
	{ "riscv64",
	  CAIRN_MACHINE_RISCV64,
	  false,
	  BYTES("\x93\x08\xb0\x08\x73\0\0\0"),
	  0,
	  2,
	  304,
	  8,
	  0,
	  { { 1, 1 }, { 2, 2 }, { 8, 8 } },
	  0 },
};

START_TEST(unwinds_trampolines_of_other_machines)
{
	static uint8_t code[FAKE_TARGET_PAGE];
	const struct cairn_bytes instructions = other_trampolines[_i].code;
	struct cairn_registers frame = { .machine = other_trampolines[_i].machine,
		                         .big_endian = other_trampolines[_i].big,
		                         .pc = BASE + 0x100 + other_trampolines[_i].at };
	struct cairn_step step;
	uint64_t start = 0;

	fake_target_init(&world);
	memset(code, 0, sizeof(code));
	memcpy(code + 0x100, instructions.data, instructions.size);
	fake_target_map(&world, BASE, code, sizeof(code));
	set(&frame, other_trampolines[_i].sp, STACK);
	stack.size = 0;
	stack.big = other_trampolines[_i].big;
	while (stack.size < other_trampolines[_i].context)
		fixture_out_put(&stack, 0xee, 1);
	for (uint64_t n = 0; n < 44; n++)
		fixture_out_put(&stack, 0x1000 + n, other_trampolines[_i].word);
	if (other_trampolines[_i].pointer)
		fixture_out_poke(&stack, other_trampolines[_i].pointer,
		                 STACK + other_trampolines[_i].context, 4);
	fake_target_map(&world, STACK, stack.data, stack.size);
	space = cairn_space_new(&world.target);
	ck_assert(cairn_find_signal_trampoline(space, &frame, &start) && start == BASE + 0x100);
	ck_assert(step_by_any(space, &frame, CAIRN_FRAME_PC, &step));
	ck_assert(step.signal && step.caller_kind == CAIRN_FRAME_PC);
	ck_assert_uint_eq(step.caller.pc, 0x1000 + other_trampolines[_i].pc);
	for (size_t i = 0; i < COUNT(other_trampolines[_i].expect); i++) {
		unsigned number = other_trampolines[_i].expect[i].number;
		ck_assert(step.caller.known >> number & 1);
		ck_assert_uint_eq(step.caller.value[number],
		                  0x1000 + other_trampolines[_i].expect[i].word);
	}
	cairn_space_free(space);
}
END_TEST

/* After frame pointers alone: the kernel's record after the signal frame leads to it. */
START_TEST(finds_a_signal_frame_by_its_record)
{
	enum { FRAME = 4688, FP_AT = 312 + 8 * 29 };
	struct cairn_step step;
	uint64_t start;
	struct cairn_registers frame = trampoline_frame(5, &start);

	while (stack.size < FRAME)
		fixture_out_put(&stack, 0xee, 1);
	fixture_out_put(&stack, 0x1000 + 29, 8);
	fixture_out_put(&stack, 0x1000 + 30, 8);
	fake_target_unmap(&world, STACK);
	fake_target_map(&world, STACK, stack.data, stack.size);
	frame.known = 0;
	set(&frame, 29, STACK + FRAME);
	space = cairn_space_new(&world.target);
	ck_assert(step_by_any(space, &frame, CAIRN_FRAME_RETURN, &step));
	ck_assert(step.signal && step.caller.pc == 0x1000 + 32);
	ck_assert_uint_eq(step.caller.value[31], 0x1000 + 31);
	stack.data[FP_AT] ^= 1; /* not what the record has */
	ck_assert(!step_by_any(space, &frame, CAIRN_FRAME_RETURN, &step));
	cairn_space_free(space);
}
END_TEST

START_TEST(needs_a_trampolines_context)
{
	uint64_t start;
	struct cairn_registers frame = trampoline_frame(0, &start), without = frame;
	struct cairn_step step;

	space = cairn_space_new(&world.target);
	without.known = 0;
	ck_assert(!step_by_sframe(space, &without, CAIRN_FRAME_PC, &step));
	ck_assert(step.signal && step.stop == CAIRN_STOP_CFA_UNKNOWN);
	fake_target_unmap(&world, STACK);
	ck_assert(!step_by_sframe(space, &frame, CAIRN_FRAME_PC, &step));
	ck_assert(step.signal && step.stop == CAIRN_STOP_CFA_UNKNOWN);
	cairn_space_free(space);
}
END_TEST

/* A program that was compiled with an older or a newer header has options of another size. */
START_TEST(takes_options_of_any_size)
{
	uint64_t start;
	struct cairn_registers frame = trampoline_frame(0, &start);
	struct {
		struct cairn_unwind_options known;
		uint64_t unknown[4];
	} newer = { CAIRN_UNWIND_OPTIONS, { 1, 2, 3, 4 } };
	struct cairn_unwind_options older = CAIRN_UNWIND_OPTIONS;
	struct cairn_step step, want;

	space = cairn_space_new(&world.target);
	const bool found = cairn_unwind(space, &frame, CAIRN_FRAME_PC, NULL, &want);
	ck_assert(found);
	newer.known.size = sizeof(newer);
	ck_assert(cairn_unwind(space, &frame, CAIRN_FRAME_PC, &newer.known, &step));
	ck_assert_uint_eq(step.caller.pc, want.caller.pc);
	/* of the older one nothing but its size is there: the rest is as the defaults have it */
	older.size = sizeof(older.size);
	older.by = CAIRN_UNWIND_BY_CODE;
	ck_assert(cairn_unwind(space, &frame, CAIRN_FRAME_PC, &older, &step));
	ck_assert_uint_eq(step.caller.pc, want.caller.pc);
	older.size = sizeof(older);
	frame.machine = CAIRN_MACHINE_AARCH64;
	ck_assert(!cairn_unwind(space, &frame, CAIRN_FRAME_PC, &older, &step));
	ck_assert_int_eq(step.stop, CAIRN_STOP_MACHINE);
	cairn_space_free(space);
}
END_TEST

/* 6. Is it a return address? */

static const struct {
	const char *name;
	int machine;
	uint64_t sp, pc, link;
	enum cairn_frame_kind kind;
} guesses[] = {
	{ "amd64: the word below the stack pointer is the pc", AMD64, SP, WORD(15), 0,
	  CAIRN_FRAME_RETURN },
	{ "amd64: another word", AMD64, SP, WORD(14), 0, CAIRN_FRAME_PC },
	{ "amd64: a stack that cannot be read", AMD64, 8, WORD(15), 0, CAIRN_FRAME_PC },
	{ "amd64: no stack pointer", AMD64, 0, WORD(15), 0, CAIRN_FRAME_PC },
	{ "aarch64: the link register is the pc", AARCH64, SP, LINK, LINK, CAIRN_FRAME_RETURN },
	{ "aarch64: with authentication bits", AARCH64, SP, LINK, LINK | AUTH, CAIRN_FRAME_RETURN },
	{ "aarch64: another", AARCH64, SP, LINK, LINK + 4, CAIRN_FRAME_PC },
	{ "aarch64: not known", AARCH64, SP, LINK, 0, CAIRN_FRAME_PC },
	{ "s390x: the link register is the pc", S390X, SP, LINK, LINK, CAIRN_FRAME_RETURN },
	{ "no machine", CAIRN_MACHINE_NONE, SP, WORD(15), 0, CAIRN_FRAME_PC },
	{ "a pc of all ones is no word", AARCH64, SP, ~0ull, 0, CAIRN_FRAME_PC },
};

START_TEST(guesses_the_kind)
{
	int machine = guesses[_i].machine;
	struct cairn_registers frame = { .machine = (enum cairn_machine)machine,
		                         .big_endian = machine == S390X,
		                         .pc = guesses[_i].pc };

	fake_target_init(&world);
	make_stack(&rows[0]);
	fake_target_map(&world, STACK, stack.data, stack.size);
	if (machine && guesses[_i].sp)
		set(&frame, numbers[machine].sp, guesses[_i].sp);
	if (machine && guesses[_i].link)
		set(&frame, numbers[machine].link, guesses[_i].link);
	space = cairn_space_new(&world.target);
	ck_assert_msg(cairn_guess_frame_kind(space, &frame) == guesses[_i].kind, "%s",
	              guesses[_i].name);
	cairn_space_free(space);
}
END_TEST

/* 7. Some frames in a row */

START_TEST(walks_to_the_end)
{
	struct cairn_step step;
	unsigned frames = 1;

	ck_assert(step_over(&rows[0], &step));
	/* the second function's frames take 16 bytes each, up to the end of the stack */
	for (struct cairn_registers frame = step.caller;
	     step_by_sframe(space, &frame, step.caller_kind, &step); frame = step.caller) {
		frames++;
		ck_assert_uint_eq(step.cfa, SP + 8 + 16 * (frames - 1));
		ck_assert_uint_eq(step.function, CODE + CALLER);
	}
	ck_assert_int_eq(step.stop, CAIRN_STOP_RA_UNREADABLE);
	ck_assert_uint_eq(frames, 1 + (WORDS * 8 - AT - 8) / 16);
	cairn_space_free(space);
}
END_TEST

/* The stack pointer is enough where the rule counts from it, and only there. */
START_TEST(finds_a_return_address_by_few_registers)
{
	struct cairn_step step;
	uint64_t pc = 0;

	for (unsigned i = 0; i < 3; i++) {
		bool by_fp = i == 2;
		ck_assert(step_over(&rows[i], &step));
		struct cairn_registers frame = make_frame(&rows[i]);
		frame.known = UINT64_C(1) << numbers[AMD64].sp;
		bool found = cairn_return_address(space, &frame,
		                                  (enum cairn_frame_kind)rows[i].kind, &pc);
		ck_assert_msg(found == !by_fp, "%s", rows[i].name);
		ck_assert(by_fp || pc == step.caller.pc);
		frame.known |= UINT64_C(1) << numbers[AMD64].fp;
		ck_assert(cairn_return_address(space, &frame, (enum cairn_frame_kind)rows[i].kind,
		                               &pc));
		ck_assert_uint_eq(pc, step.caller.pc);
		cairn_space_free(space);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unwind");
	TCase *tcase = tcase_create("unwind");

	tcase_add_loop_test(tcase, steps, 0, COUNT(rows));
	tcase_add_loop_test(tcase, takes_any_return_address_unchecked, 0, COUNT(rows));
	tcase_add_test(tcase, stops_for_every_reason);
	tcase_add_test(tcase, has_words_for_every_stop);
	tcase_add_test(tcase, ends_where_the_program_begins);
	tcase_add_test(tcase, ends_where_the_rule_leads_to_no_code);
	tcase_add_test(tcase, ends_at_an_entry_without_a_row);
	tcase_add_loop_test(tcase, unwinds_trampolines, 0, COUNT(trampolines));
	tcase_add_loop_test(tcase, knows_signal_frames_without_code, 0, COUNT(signal_frames));
	tcase_add_loop_test(tcase, unwinds_s390x_trampolines, 0, COUNT(s390x_trampolines));
	tcase_add_loop_test(tcase, unwinds_trampolines_of_other_machines, 0,
	                    COUNT(other_trampolines));
	tcase_add_test(tcase, finds_a_signal_frame_by_its_record);
	tcase_add_test(tcase, needs_a_trampolines_context);
	tcase_add_test(tcase, takes_options_of_any_size);
	tcase_add_loop_test(tcase, guesses_the_kind, 0, COUNT(guesses));
	tcase_add_test(tcase, walks_to_the_end);
	tcase_add_test(tcase, finds_a_return_address_by_few_registers);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
