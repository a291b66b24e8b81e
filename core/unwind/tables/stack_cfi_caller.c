/* SPDX-License-Identifier: MIT */
/* Evaluates the rules of a Breakpad file for one frame. */
#include "stack_cfi_caller.h"

#include "base/bytes.h"
#include "base/error.h"

/* Breakpad names by DWARF number, without the leading "$". */
static const char *const amd64_names[] = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi",
	                                   "rbp", "rsp", "r8",  "r9",  "r10", "r11",
	                                   "r12", "r13", "r14", "r15", "rip" };
static const char *const i386_names[] = { "eax", "ecx", "edx", "ebx", "esp",
	                                  "ebp", "esi", "edi", "eip" };
static const char *const arm_names[] = { "r0", "r1", "r2",  "r3",  "r4",  "r5", "r6", "r7",
	                                 "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc" };
static const char *const aarch64_names[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp",
};

static const struct {
	enum cairn_machine machine;
	const char *name;
	unsigned number;
} others[] = {
	{ CAIRN_MACHINE_ARM, "fp", 11 },     { CAIRN_MACHINE_ARM, "ip", 12 },
	{ CAIRN_MACHINE_ARM, "r13", 13 },    { CAIRN_MACHINE_ARM, "r14", 14 },
	{ CAIRN_MACHINE_ARM, "r15", 15 },    { CAIRN_MACHINE_AARCH64, "fp", 29 },
	{ CAIRN_MACHINE_AARCH64, "lr", 30 },
};

#define NAMES(list)                                                \
	{                                                          \
		list, (unsigned)(sizeof(list) / sizeof((list)[0])) \
	}

/* Breakpad does not support other machines. */
static const struct names {
	const char *const *name;
	unsigned count;
} names_of[] = {
	[CAIRN_MACHINE_AMD64] = NAMES(amd64_names),
	[CAIRN_MACHINE_I386] = NAMES(i386_names),
	[CAIRN_MACHINE_ARM] = NAMES(arm_names),
	[CAIRN_MACHINE_AARCH64] = NAMES(aarch64_names),
};

bool stack_cfi_register(enum cairn_machine machine, struct cairn_bytes name, unsigned *number)
{
	const struct names names = (size_t)machine < sizeof(names_of) / sizeof(names_of[0])
	                                   ? names_of[machine]
	                                   : (struct names){ NULL, 0 };

	if (name.size > 0 && name.data[0] == '$')
		name = (struct cairn_bytes){ name.data + 1, name.size - 1 };
	for (*number = 0; *number < names.count; ++*number)
		if (bytes_are(name, names.name[*number]))
			return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].machine == machine && bytes_are(name, others[i].name)) {
			*number = others[i].number;
			return true;
		}
	return false;
}

struct evaluator {
	const struct cairn_target *target;
	const struct cairn_registers *frame;
	const struct arch *arch;
};

static bool read_register_value(void *context, struct cairn_bytes name, uint64_t *value)
{
	const struct evaluator *e = context;
	unsigned number;

	if (!stack_cfi_register(e->frame->machine, name, &number))
		return false;
	if (number == e->arch->pc) {
		*value = e->frame->pc;
		return true;
	}
	*value = number < CAIRN_REGISTERS ? e->frame->value[number] : 0;
	return register_known(e->frame, number);
}

static bool read_target_word(void *context, uint64_t address, uint64_t *value)
{
	const struct evaluator *e = context;

	return arch_read_word(e->arch, e->target, e->frame->big_endian, address, value);
}

/* Start with the registers that calls preserve, and the CFA as stack pointer. */
static void begin_caller(const struct evaluator *e, struct stack_cfi_caller *caller)
{
	caller->registers = (struct cairn_registers){ .machine = e->frame->machine,
		                                      .big_endian = e->frame->big_endian };
	for (unsigned i = 0; i < CAIRN_REGISTERS; i++)
		if ((e->arch->saved >> i & 1) && register_known(e->frame, i))
			register_set(&caller->registers, i, e->frame->value[i]);
	register_set(&caller->registers, e->arch->sp, caller->cfa);
}

static void recover_registers(const struct stack_cfi_row *row, const struct breakpad_values *values,
                              struct cairn_registers *registers)
{
	struct cairn_fault ignored;
	unsigned number;
	uint64_t value;

	for (size_t i = 0; i < row->count; i++) {
		const struct breakpad_rule *rule = &row->rule[i];
		if (!stack_cfi_register(registers->machine, rule->name, &number) ||
		    number >= CAIRN_REGISTERS)
			continue;
		if (breakpad_evaluate(rule->expression, values, &value, &ignored) == CAIRN_OK)
			register_set(registers, number, value);
		else
			registers->known &= ~((uint64_t)1 << number);
	}
}

/* Evaluate the CFA, which the other rules refer to. */
static enum cairn_status compute_cfa(const struct stack_cfi_row *row,
                                     struct breakpad_values *values,
                                     struct stack_cfi_caller *caller, struct cairn_fault *fault)
{
	const struct breakpad_rule *rule = stack_cfi_rule(row, ".cfa");

	if (!rule)
		return fault_set(fault, CAIRN_NOT_FOUND, "no rule for the frame's address");
	enum cairn_status status = breakpad_evaluate(rule->expression, values, &caller->cfa, fault);
	caller->has_cfa = status == CAIRN_OK;
	values->cfa = &caller->cfa;
	return status;
}

enum cairn_status stack_cfi_caller(const struct stack_cfi_row *row,
                                   const struct cairn_target *target,
                                   const struct cairn_registers *frame,
                                   struct stack_cfi_caller *caller, struct cairn_fault *fault)
{
	struct evaluator e = { target, frame, arch_of(frame->machine) };
	struct breakpad_values values = { read_register_value, read_target_word, &e, NULL, 8 };
	const struct breakpad_rule *ra = stack_cfi_rule(row, ".ra");
	uint64_t pc;

	*caller = (struct stack_cfi_caller){ .has_cfa = false };
	if (!e.arch)
		return fault_set(fault, CAIRN_NOT_FOUND, "the machine is not known");
	values.word = e.arch->word;
	enum cairn_status status = compute_cfa(row, &values, caller, fault);
	if (status != CAIRN_OK)
		return status;
	if (!ra)
		return fault_set(fault, CAIRN_NOT_FOUND, "no rule for the return address");
	caller->outermost = bytes_are(ra->expression, ".undef");
	status = breakpad_evaluate(ra->expression, &values, &pc, fault);
	if (status != CAIRN_OK)
		return status;
	begin_caller(&e, caller);
	recover_registers(row, &values, &caller->registers);
	caller->registers.pc = arch_strip(frame->machine, pc, 0);
	return CAIRN_OK;
}
