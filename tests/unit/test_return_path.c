/* SPDX-License-Identifier: MIT */
/*
 * Tests the path from a pc to a return, and that from a function's beginning to a pc, over code and a stack made by hand: where the caller is, which
 * of its registers are known and from where, and the code that leads nowhere.
 */
#include "fake_target.h"
#include "unit.h"

#include "base/encoding.h"
#include "isa/amd64.h"
#include "unwind/step/code_path.h"
#include "unwind/step/step.h"
#include "unwind/tables/modules.h"

#include <stdio.h>

enum {
	WORDS = 64,
	AT = 0x80,     /* where the stack pointer is on the stack */
	RBP_AT = 0xa0, /* and where rbp points */
	CALLS = 0x800, /* a call for each word of the stack, from the code's start on */
	CALL_SIZE = 8, /* with its padding */
	RETURN = 5,    /* what it returns to, from the call on */
	READS_MAX = 4096 + 64,
};

#define BASE 0x400000ull
#define VALUES 0x5a00ull /* of the registers */
#define STACK 0x7ffe0000ull
#define CODE (BASE + FAKE_TARGET_CODE)
#define WORD(n) (CODE + CALLS + (uint64_t)(n)*CALL_SIZE + RETURN)

/*
 * Words are counted from the stack pointer.  `caller` is the word with the return address, then for
 * rbx, rbp, r12 to r15: the word that has the value, s (the frame's own value), the frame's register (r12),
 * or ? (not known).
 * "-": no caller is found.
 */
/* Ten pushes that are popped into other registers. */
#define AGAIN "5058 5058 5058 5058 5058 5058 5058 5058 5058 5058 "
/* A byte is stored at 0x100 + 0xXY from the stack pointer on; eight of them, which do not touch. */
#define AREA(x, y) "c68424" x y "01000000 "
#define AREAS(x)     \
	AREA(x, "0") \
	AREA(x, "2") AREA(x, "4") AREA(x, "6") AREA(x, "8") AREA(x, "a") AREA(x, "c") AREA(x, "e")

static const struct row {
	const char *name, *code, *caller;
} rows[] = {
	{ "a return", "90 5b c3", "1: 0 s s s s s" },
	{ "a return that is not aligned", "c3", "-" },
	{ "pops", "5b 5d 415c 415d 415e 415f 4883c408 c3", "7: 0 1 2 3 4 5" },
	{ "pushes and pops", "53 4154 415c 5b 4883c408 c3", "1: s s s s s s" },
	{ "a push that another register pops", "53 415c 4883c408 c3", "1: s s r3 s s s" },
	{ "room", "4883ec20 4883c428 c3", "1: s s s s s s" },
	{ "a frame pointer", "c9 c3", "5: s 4 s s s s" },
	{ "by the frame pointer", "488d65f8 5b 5d c3", "5: 3 4 s s s s" },
	{ "a load", "488b5c2408 4c8b6500 4883c408 c3", "1: 1 s 4 s s s" },
	{ "a register that changes", "31db 4831c0 4883c408 c3", "1: ? s s s s s" },
	{ "a register of another", "4c89e3 4883c408 c3", "1: ? s s s s s" },
	{ "a sum", "4801c3 4883c408 c3", "1: ? s s s s s" },
	{ "an address here", "488d1d00000000 4883c408 c3", "1: ? s s s s s" },

	/* what the path itself writes is not what the function keeps there */
	{ "a store, then the load", "48895c2410 31db 488b5c2410 4883c418 c3", "3: s s s s s s" },
	{ "a store of another register", "4c89642410 488b5c2410 4883c418 c3", "3: r12 s s s s s" },
	{ "a store of a changed register", "31db 48895c2410 488b5c2410 4883c418 c3",
	  "3: ? s s s s s" },
	{ "the last of two stores", "4889442410 4c89642410 488b5c2410 4883c418 c3",
	  "3: r12 s s s s s" },
	{ "a number", "48c744241000000000 488b5c2410 4883c418 c3", "3: ? s s s s s" },
	{ "a byte of a word", "c644241700 488b5c2410 4883c418 c3", "3: ? s s s s s" },
	{ "the word before it", "48c744240800000000 488b5c2410 4883c418 c3", "3: 2 s s s s s" },
	{ "across its beginning", "48c744240c00000000 488b5c2410 4883c418 c3", "3: ? s s s s s" },
	{ "the word after it", "48c744241000000000 488b5c2408 4883c418 c3", "3: 1 s s s s s" },
	{ "a store over a part of a store", "48895c2410 c644241300 488b5c2410 4883c418 c3",
	  "3: ? s s s s s" },
	{ "a store over areas", "c644240f00 c644241800 48895c2410 488b5c2410 4883c428 c3",
	  "5: s s s s s s" },
	{ "16 bytes", "0f11442408 488b5c2410 4883c428 c3", "5: ? s s s s s" },
	{ "a store by the frame pointer", "488945f8 488b5c2418 4883c428 c3", "5: r0 s s s s s" },
	{ "over the return address", "48895c2408 4883c408 c3", "-" },
	{ "a store before a branch", "4889442410 7401 90 488b5c2410 4883c418 c3",
	  "3: r0 s s s s s" },
	{ "a store on the other way", "7406 4889442410 f4 488b5c2410 4883c418 c3",
	  "3: 2 s s s s s" },
	{ "a pop of what was stored", "48890424 5b c3", "1: r0 s s s s s" },
	{ "below the stack pointer", "4c896424f8 488b5c24f8 4883c408 c3", "1: r12 s s s s s" },
	{ "a call over what lies there", "4c896424f8 e800000000 488b5c24f8 4883c408 c3",
	  "1: ? s s s s s" },
	{ "a call after room was given up", "4883c410 e800000000 488b5c24f8 4883c408 c3",
	  "3: ? s s s s s" },
	{ "a push over it", "4c896424f8 50 488b1c24 4883c410 c3", "1: r0 s s s s s" },
	{ "a push again and again", AGAIN AGAIN AGAIN AGAIN "4154 5b 4883c408 c3",
	  "1: r12 s s s s s" },
	{ "more areas than are kept",
	  AREAS("0") AREAS("1") AREAS("2") AREAS("3") AREAS("4") "488b5d00 4883c408 c3",
	  "1: 4 s s s s s" },
	{ "as many as are kept", AREAS("0") AREAS("1") AREAS("2") AREAS("3") "488b5d00 4883c408 c3",
	  "1: 4 s s s s s" },
	{ "through a pointer", "488903 488b5c2410 4883c418 c3", "3: 2 s s s s s" },
	{ "through another register", "488943f8 488b5c2410 4883c418 c3", "3: 2 s s s s s" },

	/* ways */
	{ "a jump", "eb01 f4 5b c3", "1: 0 s s s s s" },
	{ "a branch past a trap", "7402 0f0b 5b c3", "1: 0 s s s s s" },
	{ "the first way that arrives", "7402 5b c3 4883c418 c3", "1: 0 s s s s s" },
	{ "the other way when the first is not aligned", "7401 c3 5b c3", "1: 0 s s s s s" },
	{ "a state of its own for each way", "7403 31db f4 4883c408 c3", "1: s s s s s s" },
	{ "a call", "e800000000 5b c3", "1: 0 s s s s s" },
	{ "a call with a stack that is not aligned", "50 e800000000 5b 5b c3", "-" },
	{ "a tail call through a pointer", "5b ffe0", "1: 0 s s s s s" },
	{ "a jump through a pointer in the middle", "ffe0", "-" },
	{ "a switch", "ff24c500104000", "-" },

	/* nowhere */
	{ "a loop", "ebfe", "-" },
	{ "a loop of two", "7400 ebfc", "-" },
	{ "a trap", "0f0b", "-" },
	{ "hlt", "f4", "-" },
	{ "a stack pointer from memory", "488b2424 c3", "-" },
	{ "a stack pointer from a register", "4889c4 c3", "-" },
	{ "below the frame's own stack", "4883ec10 4883c408 c3", "-" },
	{ "out of the stack that can be read", "4881c408100000 c3", "-" },
	{ "out of code", "e900f0ff7f", "-" },
	{ "an instruction that is not known", "0fff", "-" },
};

static struct fake_target world;
static struct fixture_out image, stack;
static const unsigned registers[] = { 3, 6, 12, 13, 14, 15 };

static void put_code(const char *text)
{
	size_t size = 0, fault;

	ck_assert(hex_decode((struct cairn_bytes){ (const uint8_t *)text, strlen(text) },
	                     image.data + FAKE_TARGET_CODE, &size, &fault));
}

/* Every word of the stack is what some call returns to. */
static void make_world(void)
{
	fake_target_image(&image, &(struct fake_target_image){ .base = BASE, .no_sframe = true });
	memset(image.data + FAKE_TARGET_CODE, 0xf4, CALLS);
	stack = (struct fixture_out){ .size = 0 };
	for (unsigned i = 0; i < WORDS; i++) {
		fixture_out_poke(&image, FAKE_TARGET_CODE + CALLS + i * CALL_SIZE, 0xe8, 5);
		fixture_out_put(&stack, WORD(i), 8);
	}
	fake_target_init(&world);
	fake_target_map(&world, BASE, image.data, image.size);
	fake_target_map(&world, STACK, stack.data, stack.size);
}

static struct cairn_registers make_frame(void)
{
	struct cairn_registers frame = { .machine = CAIRN_MACHINE_AMD64,
		                         .pc = CODE,
		                         .known = 0xffff };

	for (unsigned n = 0; n < AMD64_REGISTERS; n++)
		frame.value[n] = VALUES + n;
	frame.value[7] = STACK + AT;
	frame.value[6] = STACK + RBP_AT;
	return frame;
}

static const char *describe_caller(const struct cairn_registers *frame,
                                   const struct cairn_registers *caller, uint64_t cfa)
{
	static char text[64];
	uint64_t first = WORD(AT / 8), word = (cfa - STACK - AT) / 8 - 1;
	int used = snprintf(text, sizeof(text), "%d:", (int)word);

	ck_assert_uint_eq(caller->pc, first + word * CALL_SIZE);
	ck_assert(caller->known >> 7 & 1);
	ck_assert_uint_eq(caller->value[7], cfa);
	for (unsigned i = 0; i < COUNT(registers); i++) {
		unsigned n = registers[i];
		size_t capacity = sizeof(text) - (size_t)used;
		if (!(caller->known >> n & 1))
			used += snprintf(text + used, capacity, " ?");
		else if (caller->value[n] == frame->value[n])
			used += snprintf(text + used, capacity, " s");
		else if (caller->value[n] - VALUES < AMD64_REGISTERS)
			used += snprintf(text + used, capacity, " r%d",
			                 (int)(caller->value[n] - VALUES));
		else
			used += snprintf(text + used, capacity, " %d",
			                 (int)((int64_t)(caller->value[n] - first) / CALL_SIZE));
	}
	return text;
}

static const char *follow(const struct cairn_registers *frame)
{
	struct cairn_space *space = cairn_space_new(&world.target);
	struct cairn_registers caller;
	struct cairn_step step = { .stop = CAIRN_STOP_NONE };
	uint64_t cfa;

	ck_assert_ptr_nonnull(space);
	struct unwind_context u = unwind_begin(space, frame, CAIRN_FRAME_PC, &step);
	bool found = return_path_follow(&u, &caller, &cfa);
	const char *text = found ? describe_caller(frame, &caller, cfa) : "-";
	cairn_space_free(space);
	return text;
}

START_TEST(follows)
{
	const struct row *r = &rows[_i];
	const struct cairn_registers frame = make_frame();

	make_world();
	put_code(r->code);
	const char *caller = follow(&frame);
	ck_assert_msg(strcmp(caller, r->caller) == 0, "%s: %s, not %s", r->name, caller, r->caller);
	ck_assert_uint_le(world.reads, READS_MAX);
}
END_TEST

/*
 * The code of a function that words of the stack from `from` on (counted from the stack pointer) call, how many
 * bytes of it are before the pc, and before its beginning, and the caller, as above.
 */
static const struct {
	const char *name, *code;
	unsigned pc, start, from;
	const char *caller;
} entered[] = {
	{ "a call that does not return", "53 4883ec20 e800000000 f4", 10, 0, 0, "5: 4 s s s s s" },
	{ "at the function's end", "53 4883ec20 e800000000 90", 10, 0, 0, "5: 4 s s s s s" },
	{ "before the call", "53 4883ec20 90", 5, 0, 0, "5: 4 s s s s s" },
	{ "at the beginning", "90 53", 0, 0, 0,
	  "-" }, /* the word on top is not where calls leave one */
	{ "one push", "53 90", 1, 0, 0, "1: 0 s s s s s" },
	{ "the stack is not aligned", "4883ec20 90", 4, 0, 0, "-" },
	{ "the word calls another function", "53 4883ec20 90", 5, 0, 6, "-" },
	{ "words before it do", "53 4883ec20 90", 5, 0, 5, "5: 4 s s s s s" },
	{ "the other way of a branch", "85c0 7401 f4 53 90", 6, 0, 0, "1: 0 s s s s s" },
	{ "no way leads there", "c3 53 90", 2, 0, 0, "-" },
	{ "padding after a call", "53 e800000000 90 4883ec20 90", 11, 0, 0, "-" },
	{ "wide padding after a call", "53 e800000000 660f1f440000 4883ec20 90", 16, 0, 0, "-" },
	{ "another stack on a way that leads there", "85c0 7403 53 eb00 53 90", 8, 0, 0,
	  "1: 0 s s s s s" },
	{ "a loop without end", "ebfe 90", 2, 0, 0, "-" },
	{ "more stack than is looked at", "4881ec00100000 53 90", 8, 0, 0, "-" },
	{ "what does not decode", "06 53 90", 2, 0, 0, "-" },
	{ "a part before the function", "90 f4f4f4 53 ebf9", 0, 4, 0, "1: 0 s s s s s" },

	/* registers that calls preserve */
	{ "a frame pointer", "55 4889e5 4883ec20 90", 8, 0, 0, "5: s 4 s s s s" },
	{ "all are pushed", "4157 4156 4155 4154 55 53 4883ec08 90", 14, 0, 0, "7: 1 2 3 4 5 6" },
	{ "a register that changes", "31db 4883ec28 90", 6, 0, 0, "5: ? s s s s s" },
	{ "a register is pushed, then changes", "53 31db 90", 3, 0, 0, "1: 0 s s s s s" },
	{ "a register changes, then is pushed", "31db 53 90", 3, 0, 0, "1: ? s s s s s" },
	{ "a store", "4883ec28 48895c2410 31db 90", 11, 0, 0, "5: 2 s s s s s" },
	{ "a store of another register", "4883ec28 4889442410 31db 90", 11, 0, 0,
	  "5: ? s s s s s" },
	{ "a store over a store", "4883ec28 48895c2410 31db 48c744241000000000 90", 20, 0, 0,
	  "5: ? s s s s s" },
	{ "a call over what lies below", "4883ec28 48895c24f8 31db e800000000 90", 16, 0, 0,
	  "5: ? s s s s s" },
};

static void call_from(unsigned first, uint64_t target)
{
	for (unsigned i = AT / 8 + first; i < WORDS; i++)
		fixture_out_poke(&image, FAKE_TARGET_CODE + CALLS + i * CALL_SIZE + 1,
		                 target - WORD(i), 4);
}

START_TEST(follows_from_the_beginning)
{
	struct cairn_registers frame = make_frame(), caller;
	struct cairn_step step = { .stop = CAIRN_STOP_NONE };
	uint64_t cfa;

	make_world();
	put_code(entered[_i].code);
	call_from(entered[_i].from, CODE + entered[_i].start);
	frame.pc = CODE + entered[_i].pc;
	struct cairn_space *space = cairn_space_new(&world.target);
	ck_assert_ptr_nonnull(space);
	struct unwind_context u = unwind_begin(space, &frame, CAIRN_FRAME_PC, &step);
	ck_assert(unwind_find_module(&u));
	const char *text =
		entry_path_follow(&u, &caller, &cfa) ? describe_caller(&frame, &caller, cfa) : "-";
	ck_assert_msg(strcmp(text, entered[_i].caller) == 0, "%s: %s, not %s", entered[_i].name,
	              text, entered[_i].caller);
	ck_assert_uint_le(world.reads, READS_MAX);
	cairn_space_free(space);
}
END_TEST

/* About to set up a frame pointer, or to return: what the next instructions say, however the stack is aligned. */
static const struct {
	const char *name, *code, *caller;
	enum cairn_frame_kind kind;
} edges[] = {
	{ "at the beginning", "55 4889e5 f4", "0: s s s s s s", CAIRN_FRAME_PC },
	{ "before endbr64", "f30f1efa 55 4889e5 f4", "0: s s s s s s", CAIRN_FRAME_PC },
	{ "a check before it", "85c0 7501 90 55 4889e5 f4", "0: s s s s s s", CAIRN_FRAME_PC },
	{ "at a return", "c3", "0: s s s s s s", CAIRN_FRAME_PC },
	{ "at a return that drops arguments", "c21000", "0: s s s s s s", CAIRN_FRAME_PC },
	{ "before the last pop", "5d c3", "1: s 0 s s s s", CAIRN_FRAME_PC },
	{ "before leave", "c9 c3", "5: s 4 s s s s", CAIRN_FRAME_PC },
	{ "of a caller", "c3", "-", CAIRN_FRAME_RETURN },
	{ "something pushed before", "53 55 4889e5 c3", "-", CAIRN_FRAME_PC },
	{ "a push that begins no frame", "55 90 f4", "-", CAIRN_FRAME_PC },
	{ "another register", "53 4889e5 f4", "-", CAIRN_FRAME_PC },
	{ "a call", "e800000000 c3", "-", CAIRN_FRAME_PC },
	{ "a jump", "eb00 c3", "-", CAIRN_FRAME_PC },
	{ "as far as is looked", "9090909090 9090909090 9090909090 c3", "0: s s s s s s",
	  CAIRN_FRAME_PC },
	{ "further than is looked", "9090909090 9090909090 9090909090 90 c3", "-", CAIRN_FRAME_PC },
};

START_TEST(follows_at_an_edge)
{
	const struct cairn_registers frame = make_frame();
	struct cairn_registers caller;
	struct cairn_step step = { .stop = CAIRN_STOP_NONE };
	uint64_t cfa;

	make_world();
	put_code(edges[_i].code);
	struct cairn_space *space = cairn_space_new(&world.target);
	ck_assert_ptr_nonnull(space);
	struct unwind_context u = unwind_begin(space, &frame, edges[_i].kind, &step);
	const char *text =
		return_edge_follow(&u, &caller, &cfa) ? describe_caller(&frame, &caller, cfa) : "-";
	ck_assert_msg(strcmp(text, edges[_i].caller) == 0, "%s: %s, not %s", edges[_i].name, text,
	              edges[_i].caller);
	ck_assert_uint_le(world.reads, READS_MAX);
	cairn_space_free(space);
}
END_TEST

/* Code of no module: what the host says is code has return addresses, with a call before them or pushed ones. */
static const struct {
	const char *name, *code;
	bool is_code, calls;
	const char *caller;
} made[] = {
	{ "after a call", "5b c3", true, true, "1: 0 s s s s s" },
	{ "after a call, whatever rbp is", "31ed 5b c3", true, true, "1: 0 ? s s s s" },
	{ "memory that is no code", "5b c3", false, true, "-" },
	{ "pushed", "5b c3", true, false, "1: 0 s s s s s" },
	{ "pushed, the frame pointer is lost", "31ed 5b c3", true, false, "-" },
	{ "pushed, the frame pointer leads nowhere", "5d c3", true, false, "-" },
	{ "pushed, the frame pointer is in the frame", "5b 4883c420 c3", true, false, "-" },
};

static bool is_made(void *context, uint64_t pc)
{
	return *(const bool *)context && pc - CODE < FAKE_TARGET_PAGE;
}

START_TEST(follows_made_code)
{
	const struct cairn_registers frame = make_frame();
	struct cairn_registers caller;
	struct cairn_step step = { .stop = CAIRN_STOP_NONE };
	bool is_code = made[_i].is_code;
	uint64_t cfa;

	make_world();
	put_code(made[_i].code);
	if (!made[_i].calls)
		memset(image.data + FAKE_TARGET_CODE + CALLS, 0x90, CALLS);
	fake_target_unmap(&world, BASE);
	fake_target_map(&world, CODE, image.data + FAKE_TARGET_CODE, FAKE_TARGET_PAGE);
	struct cairn_space *space = cairn_space_new(&world.target);
	ck_assert_ptr_nonnull(space);
	space->code = (struct generated_code){ .contains = is_made, .context = &is_code };
	struct unwind_context u = unwind_begin(space, &frame, CAIRN_FRAME_PC, &step);
	const char *text =
		return_path_follow(&u, &caller, &cfa) ? describe_caller(&frame, &caller, cfa) : "-";
	ck_assert_msg(strcmp(text, made[_i].caller) == 0, "%s: %s, not %s", made[_i].name, text,
	              made[_i].caller);
	cairn_space_free(space);
}
END_TEST

/* Made code at an instruction that nothing comes after. */
static const struct {
	const char *name, *code;
	unsigned sp; /* from AT on */
	bool is_code, calls;
	enum cairn_frame_kind kind;
	bool found;
} traps[] = {
	{ "ud2", "0f0b", 8, true, true, CAIRN_FRAME_PC, true },
	{ "hlt", "f4", 8, true, true, CAIRN_FRAME_PC, true },
	{ "a caller", "0f0b", 8, true, true, CAIRN_FRAME_RETURN, false },
	{ "a stack with more on it", "0f0b", 0, true, true, CAIRN_FRAME_PC, false },
	{ "no call", "0f0b", 8, true, false, CAIRN_FRAME_PC, false },
	{ "code that goes on", "90 0f0b", 8, true, true, CAIRN_FRAME_PC, false },
	{ "no code", "0f0b", 8, false, true, CAIRN_FRAME_PC, false },
};

START_TEST(guesses_at_a_trap)
{
	struct cairn_registers frame = make_frame();
	struct cairn_step step = { .stop = CAIRN_STOP_NONE };
	bool is_code = traps[_i].is_code;

	make_world();
	put_code(traps[_i].code);
	if (!traps[_i].calls)
		memset(image.data + FAKE_TARGET_CODE + CALLS, 0x90, CALLS);
	fake_target_unmap(&world, BASE);
	fake_target_map(&world, CODE, image.data + FAKE_TARGET_CODE, FAKE_TARGET_PAGE);
	struct cairn_space *space = cairn_space_new(&world.target);
	ck_assert_ptr_nonnull(space);
	space->code = (struct generated_code){ .contains = is_made, .context = &is_code };
	frame.value[AMD64_RSP] = STACK + AT + traps[_i].sp;
	struct unwind_context u = unwind_begin(space, &frame, traps[_i].kind, &step);
	ck_assert_msg(unwind_step_trap(&u) == traps[_i].found, "%s", traps[_i].name);
	if (traps[_i].found) {
		ck_assert(step.guessed && step.caller_kind == CAIRN_FRAME_RETURN);
		ck_assert_uint_eq(step.cfa, STACK + AT + traps[_i].sp + 8);
		ck_assert_uint_eq(step.caller.pc, WORD((AT + traps[_i].sp) / 8));
		ck_assert_uint_eq(step.caller.value[AMD64_RBP], frame.value[AMD64_RBP]);
	}
	cairn_space_free(space);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("return_path");
	TCase *tests = tcase_create("return_path");

	tcase_add_loop_test(tests, follows, 0, COUNT(rows));
	tcase_add_loop_test(tests, follows_from_the_beginning, 0, COUNT(entered));
	tcase_add_loop_test(tests, follows_at_an_edge, 0, COUNT(edges));
	tcase_add_loop_test(tests, follows_made_code, 0, COUNT(made));
	tcase_add_loop_test(tests, guesses_at_a_trap, 0, COUNT(traps));
	suite_add_tcase(suite, tests);
	return unit_run(suite);
}
