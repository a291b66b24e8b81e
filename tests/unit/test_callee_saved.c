/* SPDX-License-Identifier: MIT */
/*
 * Callee-saved registers out of prologues: code and the rows that an assembler writes for it, and
 * where rbx, r12, r13, r14 and r15 of the caller are at some pc.
 */
#include "fake_target.h"
#include "steps.h"
#include "unit.h"

#include "base/encoding.h"

#include <stdio.h>

enum {
	WORDS = 64,
	ROWS = 12,
	AT = 0x100,   /* where the stack pointer is on the stack */
	PART = 0x80,  /* of a function, likewise */
	TABLE = 0x80, /* of a switch, from the function's start */
	FAR = 300,    /* between rows */
};

#define BASE 0x400000ull
#define STACK 0x7ffe0000ull
#define CODE (BASE + FAKE_TARGET_CODE)
#define WORD(n) (CODE + 0x800 + (n)) /* what each word of the stack holds */
#define SP(start, offset)                                  \
	{                                                  \
		(start), FIXTURE_SP | FIXTURE_WORDS(1, 0), \
		{                                          \
			(offset)                           \
		}                                          \
	}
#define SP_FP(start, offset)                               \
	{                                                  \
		(start), FIXTURE_SP | FIXTURE_WORDS(2, 0), \
		{                                          \
			(offset), -16                      \
		}                                          \
	}
#define BY_FP(start)                                       \
	{                                                  \
		(start), FIXTURE_FP | FIXTURE_WORDS(2, 0), \
		{                                          \
			16, -16                            \
		}                                          \
	}
#define REALIGNED(start)                      \
	{                                     \
		(start), FIXTURE_WORDS(2, 0), \
		{                             \
			10 << 3 | 1, 0        \
		}                             \
	}

/* The prologues that compilers write. */
#define FIVE_PUSHES "4157 4156 4155 4154 53 90 5b 415c 415d 415e 415f c3"
#define FIVE_ROWS                                                                            \
	{                                                                                    \
		SP(0, 8), SP(2, 16), SP(4, 24), SP(6, 32), SP(8, 40), SP(9, 48), SP(11, 40), \
			SP(13, 32), SP(15, 24), SP(17, 16), SP(19, 8)                        \
	}
#define FRAME_PUSHES "55 4889e5 4154 53 4883ec20 90"
#define FRAME_ROWS                               \
	{                                        \
		SP(0, 8), SP_FP(1, 16), BY_FP(4) \
	}
#define EARLY_EXIT "53 7402 5b c3 90"
#define SHRUNK "4883ec28 85ff 7411 48895c2408 31db e800000000 488b5c2408 4883c428 c3"
#define SHRUNK_ROWS                            \
	{                                      \
		SP(0, 8), SP(4, 48), SP(29, 8) \
	}
#define PADDED "53 7405 5b c3 0f1f00 90 5b c3"
#define SWITCH "53 31db 89ff 488d1574000000 486304ba 4801d0 ffe0 0f0b 90 5b c3 90 5b c3 90"
#define SWITCH_ROWS                                                               \
	{                                                                         \
		SP(0, 8), SP(1, 16), SP(25, 8), SP(26, 16), SP(28, 8), SP(29, 16) \
	}
#define SWITCH_TABLE "97ffffff 9affffff 00000010"
#define STORES "4883ec28 48895c2408 4c89642410 90 4883c428 c3"
#define STORES_ROWS                            \
	{                                      \
		SP(0, 8), SP(4, 48), SP(19, 8) \
	}

/*
 * `saved`: five words, n for the word at CFA - 8n, s for what this frame has, ? for not known.
 */
static const struct {
	const char *name, *code;
	struct fixture_row rows[ROWS];
	unsigned pc; /* from the function's start */
	const char *saved;
	uint8_t version, type, info, repeat;
	const char *table;
} rows[] = {
	{ "no pushes", "90 c3", { SP(0, 8) }, 0, .saved = "s s s s s" },
	{ "before a push",
	  "53 90 5b c3",
	  { SP(0, 8), SP(1, 16), SP(3, 8) },
	  0,
	  .saved = "s s s s s" },
	{ "behind a push",
	  "53 90 5b c3",
	  { SP(0, 8), SP(1, 16), SP(3, 8) },
	  1,
	  .saved = "2 s s s s" },
	{ "behind the pop",
	  "53 90 5b c3",
	  { SP(0, 8), SP(1, 16), SP(3, 8) },
	  3,
	  .saved = "s s s s s" },
	{ "five pushes", FIVE_PUSHES, FIVE_ROWS, 9, .saved = "6 5 4 3 2" },
	{ "two of five", FIVE_PUSHES, FIVE_ROWS, 4, .saved = "s s s 3 2" },
	{ "two of five are popped", FIVE_PUSHES, FIVE_ROWS, 13, .saved = "s s 4 3 2" },
	{ "all are popped", FIVE_PUSHES, FIVE_ROWS, 19, .saved = "s s s s s" },
	{ "a push for the alignment",
	  "50 90 58 c3",
	  { SP(0, 8), SP(1, 16) },
	  1,
	  .saved = "s s s s s" },
	{ "a push of a scratch register",
	  "4153 53 90",
	  { SP(0, 8), SP(2, 16), SP(3, 24) },
	  3,
	  .saved = "3 s s s s" },
	{ "room that is no push",
	  "53 4883ec08 90",
	  { SP(0, 8), SP(1, 16), SP(5, 24) },
	  5,
	  .saved = "2 s s s s" },
	{ "room of two words",
	  "53 4883ec10 90",
	  { SP(0, 8), SP(1, 16), SP(5, 32) },
	  5,
	  .saved = "2 s s s s" },
	{ "instructions between pushes",
	  "89f8 4154 4889f1 53 90",
	  { SP(0, 8), SP(4, 16), SP(8, 24) },
	  8,
	  .saved = "3 2 s s s" },
	{ "an operand that looks like a push",
	  "4154 c74424f853535353 53 90",
	  { SP(0, 8), SP(2, 16), SP(11, 24) },
	  11,
	  .saved = "3 2 s s s" },
	{ "the row behind an early exit",
	  EARLY_EXIT,
	  { SP(0, 8), SP(1, 16), SP(4, 8), SP(5, 16) },
	  5,
	  .saved = "2 s s s s" },
	{ "in the early exit",
	  EARLY_EXIT,
	  { SP(0, 8), SP(1, 16), SP(4, 8), SP(5, 16) },
	  4,
	  .saved = "s s s s s" },

	/* behind mov %rsp,%rbp no row shows a push */
	{ "frame: before the move", FRAME_PUSHES, FRAME_ROWS, 1, .saved = "s s s s s" },
	{ "frame: behind the move", FRAME_PUSHES, FRAME_ROWS, 4, .saved = "s s s s s" },
	{ "frame: behind one push", FRAME_PUSHES, FRAME_ROWS, 6, .saved = "s 3 s s s" },
	{ "frame: behind both", FRAME_PUSHES, FRAME_ROWS, 7, .saved = "4 3 s s s" },
	{ "frame: in the body", FRAME_PUSHES, FRAME_ROWS, 11, .saved = "4 3 s s s" },
	{ "frame: instructions between", "55 488bec 89f8 4157 89f9 4156 e800000000 53 90",
	  FRAME_ROWS, 20, .saved = "5 s s 4 3" },
	{ "frame: a push of another", "55 4889e5 50 53 90", FRAME_ROWS, 6, .saved = "4 s s s s" },
	{ "frame: pushes before it too",
	  "53 55 4889e5 4154 90",
	  { SP(0, 8),
	    SP(1, 16),
	    { 2, FIXTURE_SP | FIXTURE_WORDS(2, 0), { 24, -24 } },
	    { 5, FIXTURE_FP | FIXTURE_WORDS(2, 0), { 24, -24 } } },
	  7,
	  .saved = "2 4 s s s" },

	/* stored by mov, as newer compilers do */
	{ "stores: before the first", STORES, STORES_ROWS, 4, .saved = "s s s s s" },
	{ "stores: behind the first", STORES, STORES_ROWS, 9, .saved = "5 s s s s" },
	{ "stores: behind both", STORES, STORES_ROWS, 14, .saved = "5 4 s s s" },
	{ "stores: the frame is gone", STORES, STORES_ROWS, 19, .saved = "s s s s s" },
	{ "stores: below a frame pointer", "55 4889e5 4883ec20 48895df8 4c8965f0 90", FRAME_ROWS,
	  16, .saved = "3 4 s s s" },
	{ "stores: on one path only, and nobody changes it",
	  "4883ec28 7405 48895c2408 90",
	  { SP(0, 8), SP(4, 48) },
	  11,
	  .saved = "s s s s s" },
	{ "stores: on one path only, which changes it",
	  "4883ec28 7407 48895c2408 31db 90",
	  { SP(0, 8), SP(4, 48) },
	  13,
	  .saved = "? s s s s" },
	{ "stores: in a part of the function, before it", SHRUNK, SHRUNK_ROWS, 8,
	  .saved = "s s s s s" },
	{ "stores: in a part of the function, in it", SHRUNK, SHRUNK_ROWS, 15,
	  .saved = "5 s s s s" },
	{ "stores: in a part of the function, restored", SHRUNK, SHRUNK_ROWS, 25,
	  .saved = "s s s s s" },
	{ "stores: in the red zone", "48895c24f0 31db 90", { SP(0, 8) }, 7, .saved = "3 s s s s" },
	{ "stores: in the red zone, behind a call",
	  "48895c24f0 31db e800000000 90",
	  { SP(0, 8) },
	  12,
	  .saved = "? s s s s" },
	{ "stores: through another register",
	  "4883ec28 488d4424ff 48895809 31db 90",
	  { SP(0, 8), SP(4, 48) },
	  15,
	  .saved = "5 s s s s" },
	{ "stores: overwritten",
	  "4883ec28 48895c2408 31db c744240c01000000 90",
	  { SP(0, 8), SP(4, 48) },
	  19,
	  .saved = "? s s s s" },
	{ "stores: a fence is no store",
	  "4883ec28 48891c24 31db f048830c2400 90",
	  { SP(0, 8), SP(4, 48) },
	  16,
	  .saved = "6 s s s s" },

	/* what is not the caller's value is not a save */
	{ "a push of an argument",
	  "89f8 4154 4889f3 53 90",
	  { SP(0, 8), SP(4, 16), SP(8, 24) },
	  8,
	  .saved = "? 2 s s s" },
	{ "changed, and never saved", "31db 90", { SP(0, 8) }, 2, .saved = "? s s s s" },
	{ "not restored at one of the returns",
	  "85ff 7403 31db c3 53 90 5b c3",
	  { SP(0, 8), SP(8, 16), SP(10, 8) },
	  8,
	  .saved = "? s s s s" },
	{ "saved in another register", "4989dc 31db 90", { SP(0, 8) }, 5, .saved = "? ? s s s" },
	{ "restored from another register",
	  "4889d8 31db 4889c3 90",
	  { SP(0, 8) },
	  8,
	  .saved = "s s s s s" },

	/* a row behind a branch and its padding */
	{ "padding behind an early exit",
	  PADDED,
	  { SP(0, 8), SP(1, 16), SP(4, 8), SP(8, 16) },
	  8,
	  .saved = "2 s s s s" },
	{ "in the padding itself",
	  PADDED,
	  { SP(0, 8), SP(1, 16), SP(4, 8), SP(8, 16) },
	  5,
	  .saved = "? ? ? ? ?" },
	{ "behind a call that does not return",
	  "85ff 7408 53 31db e800000000 90 c3",
	  { SP(0, 8), SP(5, 16), SP(12, 8) },
	  12,
	  .saved = "s s s s s" },

	/* a switch: its table lies at 0x80 */
	{ "a switch, its first case", SWITCH, SWITCH_ROWS, 23, .saved = "2 s s s s",
	  .table = SWITCH_TABLE },
	{ "a switch, its second case", SWITCH, SWITCH_ROWS, 26, .saved = "2 s s s s",
	  .table = SWITCH_TABLE },
	{ "a switch, what no case leads to", SWITCH, SWITCH_ROWS, 29, .saved = "? ? ? ? ?",
	  .table = SWITCH_TABLE },
	{ "a switch without a table: anywhere with its height", SWITCH, SWITCH_ROWS, 26,
	  .saved = "2 s s s s" },
	{ "a switch into the middle of an instruction", SWITCH, SWITCH_ROWS, 23,
	  .saved = "2 s s s s", .table = "86ffffff" },
	{ "a jump into the middle of an instruction",
	  "7403 4883c001 53 90",
	  { SP(0, 8), SP(7, 16) },
	  7,
	  .saved = "? ? ? ? ?" },
	{ "a jump that nobody can follow",
	  "53 4883ec10 ff20 90 31db 90",
	  { SP(0, 8), SP(1, 16), SP(5, 32) },
	  10,
	  .saved = "2 s s s s" },
	{ "stores: a spill of what was pushed",
	  "53 4883ec10 48895c2408 90",
	  { SP(0, 8), SP(1, 16), SP(5, 32) },
	  10,
	  .saved = "2 s s s s" },
	{ "stores: of an argument",
	  "4883ec28 48897c2408 90",
	  { SP(0, 8), SP(4, 48) },
	  9,
	  .saved = "s s s s s" },
	{ "code that is not known", "90 06", { SP(0, 8) }, 1, .saved = "? ? ? ? ?" },

	/* nothing is claimed */
	{ "a part that begins in the middle", "90 90", { SP(0, 48) }, 0, .saved = "? ? ? ? ?" },
	{ "a part that begins with its frame", "90 90", { BY_FP(0) }, 0, .saved = "? ? ? ? ?" },
	{ "a frame that something else set up", "90 909090 90", FRAME_ROWS, 4,
	  .saved = "? ? ? ? ?" },
	{ "a realigned frame",
	  "4c8d542408 90",
	  { { 0, FIXTURE_WORDS(2, 0), { 7 << 3 | 1, 8 } }, REALIGNED(5) },
	  5,
	  .saved = "s s s s s",
	  .version = 3,
	  .type = 1 },

	/* entries of a PLT push numbers and addresses */
	{ "plt",
	  "ff2500000000 6800000000 e900000000",
	  { SP(0, 8), SP(11, 16) },
	  11,
	  .saved = "s s s s s",
	  .info = FIXTURE_MASKED,
	  .repeat = 16 },
	{ "plt, the first entry",
	  "ff3500000000 ff2500000000",
	  { SP(0, 16), SP(6, 24) },
	  6,
	  .saved = "s s s s s" },
};

static struct fake_target world;
static struct fixture_out image, stack;
static const unsigned registers[] = { 3, 12, 13, 14, 15 };

static void put_code(size_t at, const char *text)
{
	size_t size = 0, fault;

	ck_assert(hex_decode((struct cairn_bytes){ (const uint8_t *)text, strlen(text) },
	                     image.data + FAKE_TARGET_CODE + at, &size, &fault));
}

static struct cairn_registers make_frame(unsigned pc)
{
	struct cairn_registers frame = { .machine = CAIRN_MACHINE_AMD64, .pc = CODE + pc };

	for (unsigned n = 0; n < 16; n++) {
		frame.value[n] = 0x5a00 + n;
		frame.known |= 1ull << n;
	}
	frame.value[7] = STACK + AT;
	frame.value[6] = STACK + AT + 0x40;
	frame.value[10] = STACK + AT + 0x50;
	return frame;
}

static void map(void)
{
	stack = (struct fixture_out){ .size = 0 };
	for (unsigned i = 0; i < WORDS; i++)
		fixture_out_put(&stack, WORD(i), 8);
	fake_target_init(&world);
	fake_target_map(&world, BASE, image.data, image.size);
	fake_target_map(&world, STACK, stack.data, stack.size);
}

static void make_image(const struct fixture_function *function, uint8_t version)
{
	fake_target_image(&image, &(struct fake_target_image){ .base = BASE,
	                                                       .version = version,
	                                                       .count = 1,
	                                                       .functions = function });
}

/* "6 5 4 3 2" */
static const char *saved_text(const struct cairn_registers *frame, const struct cairn_step *step)
{
	static char text[64];
	size_t used = 0;

	for (unsigned i = 0; i < COUNT(registers); i++) {
		unsigned n = registers[i];
		uint64_t value = step->caller.value[n];
		const char *blank = i ? " " : "";
		char *end = text + used;
		if (!(step->caller.known >> n & 1))
			used += (size_t)snprintf(end, sizeof(text) - used, "%s?", blank);
		else if (value == frame->value[n])
			used += (size_t)snprintf(end, sizeof(text) - used, "%ss", blank);
		else
			used += (size_t)snprintf(end, sizeof(text) - used, "%s%d", blank,
			                         (int)((step->cfa - STACK) / 8) -
			                                 (int)(value - WORD(0)));
	}
	return text;
}

/* With a report of the module, for where its code cannot be read. */
static const char *recover(const struct cairn_registers *frame, bool reported)
{
	struct cairn_space *space = cairn_space_new(&world.target);
	struct cairn_step step;

	const struct cairn_host_module told = { .name = { (const uint8_t *)"", 0 },
		                                .low = BASE,
		                                .high = BASE + FAKE_TARGET_SIZE,
		                                .machine = CAIRN_MACHINE_AMD64,
		                                .sframe = { BASE + FAKE_TARGET_SFRAME,
		                                            BASE + FAKE_TARGET_FRAMES } };

	ck_assert_ptr_nonnull(space);
	if (reported)
		ck_assert_int_eq(cairn_space_add_module(space, &told), CAIRN_OK);
	bool found = step_by_sframe(space, frame, CAIRN_FRAME_PC, &step);
	cairn_space_free(space);
	ck_assert_msg(found, "%s", cairn_stop_name(step.stop));
	return saved_text(frame, &step);
}

static uint32_t count_rows(const struct fixture_row *row)
{
	uint32_t count = 0;

	while (count < ROWS && row[count].info)
		count++;
	return count;
}

START_TEST(recovers)
{
	struct fixture_function function = { FAKE_TARGET_CODE, 0x40,
		                             rows[_i].info,    rows[_i].type,
		                             rows[_i].repeat,  count_rows(rows[_i].rows),
		                             rows[_i].rows };
	struct cairn_registers frame = make_frame(rows[_i].pc);

	make_image(&function, rows[_i].version);
	memset(image.data + FAKE_TARGET_CODE, 0x90, FAKE_TARGET_PAGE);
	memset(image.data + FAKE_TARGET_CODE + TABLE, 0, FAKE_TARGET_PAGE - TABLE);
	put_code(0, rows[_i].code);
	put_code(TABLE, rows[_i].table ? rows[_i].table : "");
	map();
	const char *saved = recover(&frame, false);
	ck_assert_msg(strcmp(saved, rows[_i].saved) == 0, "%s: %s", rows[_i].name, saved);
}
END_TEST

/* A function and a part of it that begins in the middle of a frame (name.cold), at PART. */
#define WITH_PART "53 31db 85ff 0f8575000000 5b c3" /* jne part */
#define WITH_PART_ROWS                         \
	{                                      \
		SP(0, 8), SP(1, 16), SP(12, 8) \
	}

static const struct {
	const char *name, *code, *part, *saved;
} parts[] = {
	{ "a part that comes back", WITH_PART, "90 e985ffffff", "2 s s s s" },
	{ "a part that does not", WITH_PART, "90 0f0b", "2 s s s s" },
	{ "a part that nobody jumps to", "53 31db 85ff 0f8500000000 5b c3", "90 0f0b",
	  "? ? ? ? ?" },
	{ "a part that changes more", WITH_PART, "90 4531e4 0f0b", "2 s s s s" },
};

START_TEST(knows_parts_by_their_function)
{
	static const struct fixture_row function_rows[] = WITH_PART_ROWS,
					part_rows[] = { SP(0, 16) };
	const struct fixture_function functions[] = {
		{ FAKE_TARGET_CODE, 0x40, 0, 0, 0, 3, function_rows },
		{ FAKE_TARGET_CODE + PART, 0x40, 0, 0, 0, 1, part_rows },
	};
	struct cairn_registers frame = make_frame(PART);

	fake_target_image(&image, &(struct fake_target_image){
					  .base = BASE, .count = 2, .functions = functions });
	memset(image.data + FAKE_TARGET_CODE, 0x90, FAKE_TARGET_PAGE);
	put_code(0, parts[_i].code);
	put_code(PART, parts[_i].part);
	map();
	const char *saved = recover(&frame, false);
	ck_assert_msg(strcmp(saved, parts[_i].saved) == 0, "%s: %s", parts[_i].name, saved);
}
END_TEST

/* A part that begins with a nop, whose row is that of a call, and to whose middle the function jumps. */
static const unsigned nop_part_pcs[] = { 3, PART + 1 };

START_TEST(knows_functions_by_more_than_their_first_row)
{
	static const struct fixture_row function_rows[] = WITH_PART_ROWS,
					part_rows[] = { SP(0, 8), SP(1, 16) };
	const struct fixture_function functions[] = {
		{ FAKE_TARGET_CODE, 0x40, 0, 0, 0, 3, function_rows },
		{ FAKE_TARGET_CODE + PART, 0x40, 0, 0, 0, 2, part_rows },
	};
	struct cairn_registers frame = make_frame(nop_part_pcs[_i]);

	fake_target_image(&image, &(struct fake_target_image){
					  .base = BASE, .count = 2, .functions = functions });
	memset(image.data + FAKE_TARGET_CODE, 0x90, FAKE_TARGET_PAGE);
	put_code(0, "53 31db 85ff 0f8576000000 5b c3"); /* jne part + 1 */
	put_code(PART, "90 e985ffffff");
	map();
	ck_assert_str_eq(recover(&frame, false), "2 s s s s");
}
END_TEST

/* Rows far apart: the instruction before a row is told by its last bytes. */
static const struct {
	const char *name, *code;
	size_t size;
	const char *saved;
} far_rows[] = {
	{ "a push", "53", 1, "2 s s s s" },
	{ "a push of two bytes", "4155", 2, "s s 2 s s" },
	{ "room", "4883ec08", 4, "s s s s s" },
	{ "room, with a push in its number", "4881ec00000053", 7, "s s s s s" },
	{ "a push of a scratch register", "50", 1, "s s s s s" },
};

START_TEST(judges_by_the_last_bytes)
{
	const struct fixture_row far[] = { SP(0, 8), SP(FAR, 16) };
	const struct fixture_function function = {
		FAKE_TARGET_CODE, 0x200, FIXTURE_ADDR2, 0, 0, 2, far
	};
	struct cairn_registers frame = make_frame(FAR);

	make_image(&function, 0);
	memset(image.data + FAKE_TARGET_CODE, 0x90, FAKE_TARGET_PAGE);
	put_code(FAR - far_rows[_i].size, far_rows[_i].code);
	map();
	const char *saved = recover(&frame, false);
	ck_assert_msg(strcmp(saved, far_rows[_i].saved) == 0, "%s: %s", far_rows[_i].name, saved);
}
END_TEST

/* Of code that cannot be read nothing is claimed. */
static const struct {
	struct fixture_row rows[ROWS];
	unsigned pc;
	const char *saved;
} unreadable[] = {
	{ { SP(0, 8), SP(1, 16) }, 0, "? ? ? ? ?" },
	{ { SP(0, 8), SP(1, 16) }, 1, "? ? ? ? ?" },
	{ { SP(0, 8), SP(1, 16), SP(9, 8) }, 9, "? ? ? ? ?" },
	{ FRAME_ROWS, 12, "? ? ? ? ?" },
};

START_TEST(claims_nothing_of_code_it_cannot_read)
{
	struct fixture_function function = {
		FAKE_TARGET_CODE,   0x40, 0, 0, 0, count_rows(unreadable[_i].rows),
		unreadable[_i].rows
	};
	struct cairn_registers frame = make_frame(unreadable[_i].pc);

	make_image(&function, 0);
	map();
	fake_target_unmap(&world, BASE);
	fake_target_map(&world, BASE, image.data, FAKE_TARGET_CODE);
	fake_target_map(&world, BASE + FAKE_TARGET_SFRAME, image.data + FAKE_TARGET_SFRAME,
	                FAKE_TARGET_PAGE);
	ck_assert_str_eq(recover(&frame, true), unreadable[_i].saved);
}
END_TEST

/* The line of pushes runs into a page that cannot be read. */
START_TEST(claims_nothing_behind_what_it_can_read)
{
	static const struct fixture_row frame_rows[] = FRAME_ROWS;
	const uint64_t start = FAKE_TARGET_SIZE - 5;
	const struct fixture_function function = { start, 0x40, 0, 0, 0, 3, frame_rows };
	struct cairn_registers frame = make_frame((unsigned)(start - FAKE_TARGET_CODE) + 4);

	make_image(&function, 0);
	memset(image.data + FAKE_TARGET_SIZE, 0x90, FAKE_TARGET_PAGE);
	put_code(start - FAKE_TARGET_CODE, "55 4889e5 90");
	map();
	ck_assert_str_eq(recover(&frame, false), "? ? ? ? ?");
	fake_target_unmap(&world, BASE);
	fake_target_map(&world, BASE, image.data, FAKE_TARGET_SIZE + FAKE_TARGET_PAGE);
	ck_assert_str_eq(recover(&frame, false), "s s s s s");
}
END_TEST

/* What this frame does not know its caller does not either; a slot that cannot be read likewise. */
START_TEST(passes_on_what_is_not_known)
{
	const struct fixture_row pushed[] = { SP(0, 8), SP(1, 16) };
	const struct fixture_function function = { FAKE_TARGET_CODE, 0x40, 0, 0, 0, 2, pushed };
	struct cairn_registers frame = make_frame(1);

	make_image(&function, 0);
	memset(image.data + FAKE_TARGET_CODE, 0x90, FAKE_TARGET_PAGE);
	put_code(0, "53 90");
	map();
	frame.known &= ~(1ull << 12 | 1ull << 3);
	ck_assert_str_eq(recover(&frame, false), "2 ? s s s");
	/* rbx lies at the stack pointer; what follows can be read */
	fake_target_unmap(&world, STACK);
	fake_target_map(&world, STACK + AT + 8, stack.data + AT + 8, stack.size - AT - 8);
	ck_assert_str_eq(recover(&frame, false), "? ? s s s");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("saved");
	TCase *tcase = tcase_create("saved");

	tcase_add_loop_test(tcase, recovers, 0, COUNT(rows));
	tcase_add_loop_test(tcase, knows_parts_by_their_function, 0, COUNT(parts));
	tcase_add_loop_test(tcase, knows_functions_by_more_than_their_first_row, 0,
	                    COUNT(nop_part_pcs));
	tcase_add_loop_test(tcase, judges_by_the_last_bytes, 0, COUNT(far_rows));
	tcase_add_loop_test(tcase, claims_nothing_of_code_it_cannot_read, 0, COUNT(unreadable));
	tcase_add_test(tcase, claims_nothing_behind_what_it_can_read);
	tcase_add_test(tcase, passes_on_what_is_not_known);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
