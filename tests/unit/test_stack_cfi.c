/* SPDX-License-Identifier: MIT */
/*
 * STACK CFI records of Breakpad files: lines, expressions, the rules at an address, and stacks that
 * are walked by them on each machine.
 */
#include "steps.h"
#include "unit.h"

#include "unwind/tables/modules.h"
#include "unwind/tables/stack_cfi.h"

#include <stdio.h>

static struct cairn_bytes text_bytes(const char *text)
{
	return unit_exact((struct cairn_bytes){ (const uint8_t *)text, strlen(text) });
}

/* What follows STACK, what it is, and why it is wrong. */
static const struct {
	const char *line;
	enum breakpad_stack_kind kind;
	uint64_t address, size;
	const char *what;
} lines[] = {
	{ "CFI INIT 10 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^", BREAKPAD_STACK_INIT, 0x10, 0x20, NULL },
	{ " CFI\tINIT 10 20 .cfa: 1\r", BREAKPAD_STACK_INIT, 0x10, 0x20, NULL },
	{ "CFI 12 .cfa: $rsp 16 +", BREAKPAD_STACK_DELTA, 0x12, 0, NULL },
	{ "CFI INIT ffffffffffffff00 ff .cfa: 1", BREAKPAD_STACK_INIT, 0xffffffffffffff00, 0xff,
	  NULL },
	{ "WIN 4 2170 14 1 0 0 0 0 0 1 $eip 4 + ^ =", BREAKPAD_STACK_WIN, 0, 0, NULL },
	{ "", BREAKPAD_STACK_BAD, 0, 0, "neither CFI nor WIN" },
	{ "CFIX 10 .cfa: 1", BREAKPAD_STACK_BAD, 0, 0, "neither CFI nor WIN" },
	{ "CFI", BREAKPAD_STACK_BAD, 0, 0,
	  "an address or a size is missing, not a number, or too large" },
	{ "CFI INIT 10 .cfa: 1", BREAKPAD_STACK_BAD, 0, 0,
	  "an address or a size is missing, not a number, or too large" },
	{ "CFI 1x .cfa: 1", BREAKPAD_STACK_BAD, 0, 0,
	  "an address or a size is missing, not a number, or too large" },
	{ "CFI 10000000000000000 .cfa: 1", BREAKPAD_STACK_BAD, 0, 0,
	  "an address or a size is missing, not a number, or too large" },
	{ "CFI INIT ffffffffffffff00 100 .cfa: 1", BREAKPAD_STACK_BAD, 0, 0,
	  "the range extends past the end of the address space" },
	{ "CFI 10", BREAKPAD_STACK_BAD, 0, 0, "a rule is missing, or has no expression" },
	{ "CFI 10 .cfa:", BREAKPAD_STACK_BAD, 0, 0, "a rule is missing, or has no expression" },
	{ "CFI 10 .cfa: .ra: 1", BREAKPAD_STACK_BAD, 0, 0,
	  "a rule is missing, or has no expression" },
	{ "CFI 10 .cfa: 1 .ra:", BREAKPAD_STACK_BAD, 0, 0,
	  "a rule is missing, or has no expression" },
	{ "CFI 10 1 .cfa: 1", BREAKPAD_STACK_BAD, 0, 0, "a rule is missing, or has no expression" },
	{ "CFI 10 : 1", BREAKPAD_STACK_BAD, 0, 0, "a rule is missing, or has no expression" },
};

START_TEST(reads_lines)
{
	struct breakpad_stack stack;

	breakpad_read_stack(text_bytes(lines[_i].line), &stack);
	ck_assert_msg(stack.kind == lines[_i].kind, "%s: %d", lines[_i].line, stack.kind);
	if (stack.kind == BREAKPAD_STACK_BAD) {
		ck_assert_str_eq(stack.what, lines[_i].what);
		return;
	}
	ck_assert_uint_eq(stack.address, lines[_i].address);
	ck_assert_uint_eq(stack.size, lines[_i].size);
}
END_TEST

enum { MEMORY = 0x1000 };

/* Words of memory, by which stacks are made. */
static uint64_t memory[64];

static enum cairn_status serve(void *context, uint64_t address, void *buffer, size_t size)
{
	uint8_t bytes[sizeof(memory)];

	(void)context;
	for (size_t i = 0; i < sizeof(memory); i++)
		bytes[i] = (uint8_t)(memory[i / 8] >> 8 * (i % 8));
	if (address < MEMORY || address - MEMORY > sizeof(bytes) ||
	    size > sizeof(bytes) - (address - MEMORY))
		return CAIRN_UNREADABLE;
	memcpy(buffer, bytes + (address - MEMORY), size);
	return CAIRN_OK;
}

static const struct cairn_target target = { serve, NULL };

static bool read_named(void *context, struct cairn_bytes name, uint64_t *value)
{
	(void)context;
	*value = 0x1008;
	return name.size == 4 && memcmp(name.data, "$rsp", 4) == 0;
}

static bool read_word(void *context, uint64_t address, uint64_t *value)
{
	(void)context;
	*value = address + 1;
	return address < 0x2000;
}

/* An expression, for a machine of so many bytes, its outcome, its value or where it is wrong. */
static const struct {
	const char *text;
	unsigned word;
	enum cairn_status status;
	uint64_t value;
} expressions[] = {
	{ "7", 8, CAIRN_OK, 7 },
	{ "-8", 8, CAIRN_OK, UINT64_MAX - 7 },
	{ "-8", 4, CAIRN_OK, UINT32_MAX - 7 },
	{ "18446744073709551615", 8, CAIRN_OK, UINT64_MAX },
	{ "$rsp 8 +", 8, CAIRN_OK, 0x1010 },
	{ "$rsp 8 -", 8, CAIRN_OK, 0x1000 },
	{ " $rsp\t-8  + ", 8, CAIRN_OK, 0x1000 },
	{ "$rsp -4096 +", 4, CAIRN_OK, 8 },
	{ ".cfa 8 - ^", 8, CAIRN_OK, 0x1ff9 - 0x1000 },
	{ "6 7 *", 8, CAIRN_OK, 42 },
	{ "43 7 /", 8, CAIRN_OK, 6 },
	{ "43 7 %", 8, CAIRN_OK, 1 },
	{ "43 16 @", 8, CAIRN_OK, 32 },
	{ "1 2 3 4 + + +", 8, CAIRN_OK, 10 },
	{ "", 8, CAIRN_MALFORMED, 0 },
	{ "1 2", 8, CAIRN_MALFORMED, 3 },
	{ "1 +", 8, CAIRN_MALFORMED, 2 },
	{ "^", 8, CAIRN_MALFORMED, 0 },
	{ "1 0 /", 8, CAIRN_MALFORMED, 4 },
	{ "1 0 %", 8, CAIRN_MALFORMED, 4 },
	{ "1 0 @", 8, CAIRN_MALFORMED, 4 },
	{ "1 12 @", 8, CAIRN_MALFORMED, 5 },
	{ "18446744073709551616", 8, CAIRN_MALFORMED, 0 },
	{ "1x", 8, CAIRN_MALFORMED, 0 },
	{ "$rsp $rsp =", 8, CAIRN_NOT_FOUND, 10 },
	{ "1 $rbx +", 8, CAIRN_NOT_FOUND, 2 },
	{ ".undef", 8, CAIRN_NOT_FOUND, 0 },
	{ "4096 4096 + ^", 8, CAIRN_UNREADABLE, 12 },
	{ "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", 8, CAIRN_MALFORMED,
	  64 },
};

START_TEST(evaluates_expressions)
{
	const uint64_t cfa = 0x1000;
	struct breakpad_values values = { read_named, read_word, NULL, &cfa, expressions[_i].word };
	struct cairn_fault fault;
	uint64_t value = 0;

	enum cairn_status status =
		breakpad_evaluate(text_bytes(expressions[_i].text), &values, &value, &fault);
	ck_assert_msg(status == expressions[_i].status, "%s: %d", expressions[_i].text, status);
	ck_assert_uint_eq(status == CAIRN_OK ? value : fault.offset, expressions[_i].value);
}
END_TEST

START_TEST(bounds_expressions)
{
	static char text[BREAKPAD_EXPRESSION_MAX + 2];
	struct breakpad_values values = { read_named, read_word, NULL, NULL, 8 };
	struct cairn_fault fault;
	uint64_t value;

	memset(text, ' ', sizeof(text) - 1);
	text[0] = '1';
	ck_assert_int_eq(breakpad_evaluate(text_bytes(text), &values, &value, &fault),
	                 CAIRN_UNSUPPORTED);
	text[BREAKPAD_EXPRESSION_MAX] = 0;
	ck_assert_int_eq(breakpad_evaluate(text_bytes(text), &values, &value, &fault), CAIRN_OK);
	ck_assert_int_eq(breakpad_evaluate(text_bytes(".cfa"), &values, &value, &fault),
	                 CAIRN_NOT_FOUND);
}
END_TEST

static const char file[] = "MODULE Linux x86_64 000102030405060708090a0b0c0d0e0f0 x\n"
			   "STACK CFI INIT 2000 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
			   "STACK CFI 2001 .cfa: $rsp 16 + $rbp: .cfa -16 + ^\r\n"
			   "STACK CFI 2004 .cfa: $rbp 16 +\n"
			   "STACK CFI INIT 1000 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
			   "FUNC 1000 10 0 f\n"
			   "STACK CFI 1001 .cfa: 1\n"
			   "STACK WIN 4 3000 14 1 0 0 0 0 0 1 $eip\n"
			   "STACK CFI INIT 4000 10 .cfa: $rsp 8 +\n"
			   "STACK CFI 4010 .cfa: 1\n"
			   "STACK CFI INIT 5000 10 .cfa: $rsp 8 +\n"
			   "STACK CFI 5004 .cfa: 2\n"
			   "STACK CFI 5003 .cfa: 1\n"
			   "STACK CFI INIT 6000 10 .cfa: $rsp 8 +\n"
			   "STACK CFI 6004\n"
			   "STACK CFI INIT 7000 10 .cfa: $rsp 8 +\n"
			   "STACK WIN 4 3000 14 1 0 0 0 0 0 1 $eip";

/* An address, whether rules are found, the range they hold for, and the one for the frame. */
static const struct {
	uint64_t va;
	enum cairn_status status;
	uint64_t start, end;
	size_t count;
	const char *cfa;
} places[] = {
	{ 0xfff, CAIRN_NOT_FOUND, 0, 0, 0, NULL },
	{ 0x1000, CAIRN_OK, 0x1000, 0x1010, 2, "$rsp 8 +" },
	{ 0x100f, CAIRN_OK, 0x1000, 0x1010, 2, "$rsp 8 +" },
	{ 0x1010, CAIRN_NOT_FOUND, 0, 0, 0, NULL },
	{ 0x2000, CAIRN_OK, 0x2000, 0x2001, 2, "$rsp 8 +" },
	{ 0x2001, CAIRN_OK, 0x2001, 0x2004, 3, "$rsp 16 +" },
	{ 0x2003, CAIRN_OK, 0x2001, 0x2004, 3, "$rsp 16 +" },
	{ 0x203f, CAIRN_OK, 0x2004, 0x2040, 3, "$rbp 16 +" },
	{ 0x2040, CAIRN_NOT_FOUND, 0, 0, 0, NULL },
	{ 0x3000, CAIRN_NOT_FOUND, 0, 0, 0, NULL },
	{ 0x4000, CAIRN_MALFORMED, 0, 0, 0, NULL },
	{ 0x5000, CAIRN_OK, 0x5000, 0x5004, 1, "$rsp 8 +" },
	{ 0x5008, CAIRN_MALFORMED, 0, 0, 0, NULL },
	{ 0x6000, CAIRN_MALFORMED, 0, 0, 0, NULL },
	{ 0x700f, CAIRN_OK, 0x7000, 0x7010, 1, "$rsp 8 +" },
	{ UINT64_MAX, CAIRN_NOT_FOUND, 0, 0, 0, NULL },
};

START_TEST(finds_rules)
{
	struct stack_cfi *rules = stack_cfi_new(text_bytes(file));
	struct stack_cfi_row row;
	struct cairn_fault fault;

	ck_assert_uint_eq(stack_cfi_count(rules), 6);
	enum cairn_status status = stack_cfi_find(rules, places[_i].va, &row, &fault);
	ck_assert_msg(status == places[_i].status, "%llx: %d", (unsigned long long)places[_i].va,
	              status);
	if (status == CAIRN_OK) {
		const struct breakpad_rule *rule = stack_cfi_rule(&row, ".cfa");
		ck_assert_uint_eq(row.start, places[_i].start);
		ck_assert_uint_eq(row.end, places[_i].end);
		ck_assert_uint_eq(row.count, places[_i].count);
		ck_assert_uint_eq(rule->expression.size, strlen(places[_i].cfa));
		ck_assert_mem_eq(rule->expression.data, places[_i].cfa, rule->expression.size);
		ck_assert_ptr_null(stack_cfi_rule(&row, ".cf"));
	} else if (status == CAIRN_MALFORMED)
		ck_assert_mem_eq(file + fault.offset, "STACK CFI ", 10);
	stack_cfi_free(rules);
}
END_TEST

/* More rules, and more changes, than the limits. */
START_TEST(bounds_rows)
{
	size_t capacity = 64 + (size_t)(STACK_CFI_DELTAS_MAX + 2) * 32, at;
	char *text = malloc(capacity);
	struct stack_cfi_row row;
	struct cairn_fault fault;

	at = (size_t)snprintf(text, capacity, "STACK CFI INIT 0 100000 .cfa: 1");
	if (_i == 0)
		for (int i = 0; i < STACK_CFI_RULES_MAX; i++)
			at += (size_t)snprintf(text + at, capacity - at, " r%d: 1", i);
	else
		for (int i = 0; i <= STACK_CFI_DELTAS_MAX; i++)
			at += (size_t)snprintf(text + at, capacity - at, "\nSTACK CFI %x r: 1", i);
	struct stack_cfi *rules = stack_cfi_new(text_bytes(text));
	ck_assert_int_eq(stack_cfi_find(rules, 0xfffff, &row, &fault), CAIRN_UNSUPPORTED);
	stack_cfi_free(rules);
	free(text);
}
END_TEST

/*
 * A machine, its rules, registers that matter, and memory: a frame at 0x10001010 in a function that
 * has moved the stack pointer, called from 0x10002020.
 */
static const struct machine {
	const char *name;
	enum cairn_machine machine;
	const char *rules;
	unsigned sp, saved; /* register numbers */
	unsigned word;
} machines[] = {
	{ "amd64", CAIRN_MACHINE_AMD64,
	  "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n"
	  "STACK CFI 1001 .cfa: $rsp 16 + $rbx: .cfa 16 - ^",
	  7, 3, 8 },
	{ "i386", CAIRN_MACHINE_I386,
	  "STACK CFI INIT 1000 100 .cfa: $esp 4 + .ra: .cfa 4 - ^\n"
	  "STACK CFI 1001 .cfa: $esp 8 + $ebx: .cfa 8 - ^",
	  4, 3, 4 },
	{ "arm", CAIRN_MACHINE_ARM,
	  "STACK CFI INIT 1000 100 .cfa: sp 0 + .ra: lr\n"
	  "STACK CFI 1001 .cfa: sp 8 + .ra: .cfa -4 + ^ r4: .cfa -8 + ^",
	  13, 4, 4 },
	{ "aarch64", CAIRN_MACHINE_AARCH64,
	  "STACK CFI INIT 1000 100 .cfa: sp 0 + .ra: x30\n"
	  "STACK CFI 1001 .cfa: sp 16 + .ra: .cfa -8 + ^ x19: .cfa -16 + ^",
	  31, 19, 8 },
};

static const struct stack_cfi *find_file(void *context, uint64_t pc, uint64_t *low)
{
	*low = 0x10000000;
	return pc - *low < 0x10000 ? context : NULL;
}

static struct cairn_space *make_space(struct stack_cfi *rules, const struct machine *machine)
{
	struct cairn_space *space = cairn_space_new(&target);
	const struct cairn_host_module report = { .name = BYTES("x"),
		                                  .low = 0x10000000,
		                                  .high = 0x10010000,
		                                  .text = { 0x10000000, 0x10010000 },
		                                  .machine = machine->machine };

	space->breakpad = (struct stack_cfi_files){ find_file, rules };
	cairn_space_begin_modules(space);
	ck_assert_int_eq(cairn_space_add_module(space, &report), CAIRN_OK);
	cairn_space_end_modules(space);
	return space;
}

/* The saved register, then the return address. */
static void fill_memory(unsigned word, uint64_t pc)
{
	memset(memory, 0, sizeof(memory));
	memory[0] = word == 8 ? 0x5afe : 0x5afe | pc << 32;
	memory[1] = word == 8 ? pc : 0;
}

START_TEST(steps_by_rules)
{
	const struct machine *machine = &machines[_i];
	struct stack_cfi *rules = stack_cfi_new(text_bytes(machine->rules));
	struct cairn_space *space = make_space(rules, machine);
	struct cairn_registers frame = { .machine = machine->machine, .pc = 0x10001010 };
	struct cairn_step step;

	fill_memory(machine->word, machine->machine == CAIRN_MACHINE_ARM ? 0x10002021 : 0x10002020);
	register_set(&frame, machine->sp, MEMORY);
	ck_assert_msg(step_by_any(space, &frame, CAIRN_FRAME_PC, &step), "%s: %s", machine->name,
	              cairn_stop_name(step.stop));
	ck_assert_str_eq(cairn_unwind_method_name(step.method), "stack-cfi");
	ck_assert_uint_eq(step.caller.pc, 0x10002020);
	ck_assert_uint_eq(step.caller.value[machine->saved], 0x5afe);
	ck_assert_uint_eq(step.cfa, MEMORY + 2 * machine->word);
	ck_assert_uint_eq(step.caller.value[machine->sp], step.cfa);
	ck_assert_uint_eq(step.function, 0x10001000);
	ck_assert_int_eq(step.caller_kind, CAIRN_FRAME_RETURN);
	cairn_space_free(space);
	stack_cfi_free(rules);
}
END_TEST

/* Rules at the pc, memory's return address, kind of frame; why there is no caller. */
static const struct {
	const char *rules;
	uint64_t pc;
	enum cairn_frame_kind kind;
	enum cairn_stop stop;
} ends[] = {
	{ "STACK CFI INIT 1000 100 .cfa: sp 16 + .ra: .cfa -8 + ^", 0, CAIRN_FRAME_PC,
	  CAIRN_STOP_OUTERMOST },
	{ "STACK CFI INIT 1000 100 .cfa: sp 16 + .ra: .cfa -8 + ^", 0x20000000, CAIRN_FRAME_PC,
	  CAIRN_STOP_RA_IMPLAUSIBLE },
	{ "STACK CFI INIT 1000 100 .cfa: sp 16 + .ra: 1048576 ^", 0, CAIRN_FRAME_PC,
	  CAIRN_STOP_RA_UNREADABLE },
	{ "STACK CFI INIT 1000 100 .cfa: sp 16 - .ra: .cfa 24 + ^", 0x10002020, CAIRN_FRAME_PC,
	  CAIRN_STOP_CFA_IMPLAUSIBLE },
	{ "STACK CFI INIT 1000 100 .cfa: sp 16 + .ra: .cfa -8 + ^ sp: .cfa 16 -", 0x10002020,
	  CAIRN_FRAME_RETURN, CAIRN_STOP_CFA_IMPLAUSIBLE },
	{ "STACK CFI INIT 1000 100 .cfa: sp 0 + .ra: x30", 0, CAIRN_FRAME_RETURN,
	  CAIRN_STOP_LINK_UNKNOWN },
	{ "STACK CFI INIT 1000 100 .cfa: x20 .ra: x30", 0, CAIRN_FRAME_PC, CAIRN_STOP_CFA_UNKNOWN },
	{ "STACK CFI INIT 1000 100 .cfa: sp 16 + .ra: .undef", 0, CAIRN_FRAME_RETURN,
	  CAIRN_STOP_OUTERMOST },
	{ "STACK CFI INIT 1000 100 .cfa: sp 16 +", 0, CAIRN_FRAME_PC, CAIRN_STOP_LINK_UNKNOWN },
	{ "STACK CFI INIT 1000 100 .cfa: sp 16 + .ra: 1 0 /", 0, CAIRN_FRAME_PC,
	  CAIRN_STOP_BAD_TABLE },
	{ "STACK CFI INIT 2000 100 .cfa: sp 16 + .ra: 1", 0, CAIRN_FRAME_RETURN,
	  CAIRN_STOP_NO_ROW },
};

START_TEST(tells_why_it_ends)
{
	struct stack_cfi *rules = stack_cfi_new(text_bytes(ends[_i].rules));
	struct cairn_space *space = make_space(rules, &machines[3]);
	struct cairn_registers frame = { .machine = CAIRN_MACHINE_AARCH64, .pc = 0x10001010 };
	struct cairn_step step;

	fill_memory(8, ends[_i].pc);
	register_set(&frame, 31, MEMORY);
	register_set(&frame, 30, 0x10002020);
	ck_assert(!step_by_any(space, &frame, ends[_i].kind, &step));
	ck_assert_msg(step.stop == ends[_i].stop, "%s: %s", ends[_i].rules,
	              cairn_stop_name(step.stop));
	cairn_space_free(space);
	stack_cfi_free(rules);
}
END_TEST

START_TEST(knows_register_names)
{
	unsigned number;

	ck_assert(stack_cfi_register(CAIRN_MACHINE_AMD64, text_bytes("$r15"), &number));
	ck_assert_uint_eq(number, 15);
	ck_assert(stack_cfi_register(CAIRN_MACHINE_ARM, text_bytes("fp"), &number));
	ck_assert_uint_eq(number, 11);
	ck_assert(stack_cfi_register(CAIRN_MACHINE_AARCH64, text_bytes("lr"), &number));
	ck_assert_uint_eq(number, 30);
	ck_assert(!stack_cfi_register(CAIRN_MACHINE_AMD64, text_bytes("$"), &number));
	ck_assert(!stack_cfi_register(CAIRN_MACHINE_AMD64, text_bytes("$eax"), &number));
	ck_assert(!stack_cfi_register(CAIRN_MACHINE_S390X, text_bytes("r1"), &number));
}
END_TEST

/* A frame-pointer chain of 32-bit words, where no rules are. */
START_TEST(follows_frame_pointers_of_i386)
{
	struct stack_cfi *rules = stack_cfi_new(text_bytes(""));
	struct cairn_space *space = make_space(rules, &machines[1]);
	struct cairn_registers frame = { .machine = CAIRN_MACHINE_I386, .pc = 0x10001010 };
	struct cairn_step step;

	memory[0] = (uint64_t)0x10002020 << 32 | 0x1020;
	register_set(&frame, 4, MEMORY);
	register_set(&frame, 5, MEMORY);
	ck_assert(step_by_any(space, &frame, CAIRN_FRAME_PC, &step));
	ck_assert_str_eq(cairn_unwind_method_name(step.method), "frame-pointer");
	ck_assert_uint_eq(step.caller.pc, 0x10002020);
	ck_assert_uint_eq(step.caller.value[5], 0x1020);
	ck_assert_uint_eq(step.caller.value[4], MEMORY + 8);
	cairn_space_free(space);
	stack_cfi_free(rules);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("stack_cfi");
	TCase *stack_cfi = tcase_create("stack_cfi");

	tcase_add_loop_test(stack_cfi, reads_lines, 0, COUNT(lines));
	tcase_add_loop_test(stack_cfi, evaluates_expressions, 0, COUNT(expressions));
	tcase_add_test(stack_cfi, bounds_expressions);
	tcase_add_loop_test(stack_cfi, finds_rules, 0, COUNT(places));
	tcase_add_loop_test(stack_cfi, bounds_rows, 0, 2);
	tcase_add_loop_test(stack_cfi, steps_by_rules, 0, COUNT(machines));
	tcase_add_loop_test(stack_cfi, tells_why_it_ends, 0, COUNT(ends));
	tcase_add_test(stack_cfi, knows_register_names);
	tcase_add_test(stack_cfi, follows_frame_pointers_of_i386);
	suite_add_tcase(s, stack_cfi);
	return unit_run(s);
}
