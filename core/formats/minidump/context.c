/* SPDX-License-Identifier: MIT */
/*
 * The registers of a thread. Each machine has a record of its own; of it only the whole-number
 * registers are read, which are in its first part:
 *
 *	x86    flags:4 ... edi esi ebx edx ecx eax at 156, ebp eip cs eflags esp from 180 on
 *	amd64  ... flags:4 at 48, rax rcx rdx rbx rsp rbp rsi rdi r8 to r15 from 120 on, rip
 *	arm    flags:4 r0 to r15
 *	arm64  flags:4 cpsr:4 x0 to x30 sp pc, or flags:8 x0 to x30 sp pc, as Breakpad writes it
 *
 * The flags name the machine, and which groups of registers were filled in.
 */
#include "minidump.h"

#include "context_flags.h"
#include "part.h"

enum {
	ARM_PC = 15,
	AMD64_REGISTERS_AT = 120,
	X86_REGISTERS_AT = 156,
	ARM64_WORDS = 32, /* x0 to x30, and sp */
};

#define WITHOUT_PC "registers without the program counter"

enum minidump_machine minidump_machine_of(uint16_t processor)
{
	switch (processor) {
	case 0:
	case 10: /* 32-bit program on 64-bit Windows */
		return MINIDUMP_MACHINE_X86;
	case 5:
		return MINIDUMP_MACHINE_ARM;
	case 9:
		return MINIDUMP_MACHINE_AMD64;
	case 12:
	case 0x8003: /* Breakpad's, before Windows had a number for it */
		return MINIDUMP_MACHINE_ARM64;
	}
	return minidump_processor_name(processor) ? MINIDUMP_MACHINE_OTHER
	                                          : MINIDUMP_MACHINE_UNKNOWN;
}

const char *minidump_processor_name(uint16_t processor)
{
	static const struct {
		uint16_t processor;
		const char *name;
	} names[] = {
		{ 0, "x86" },          { 1, "mips" },        { 2, "alpha" },
		{ 3, "ppc" },          { 4, "sh" },          { 5, "arm" },
		{ 6, "ia64" },         { 9, "amd64" },       { 10, "x86" },
		{ 12, "aarch64" },     { 0x8001, "sparc" },  { 0x8002, "ppc64" },
		{ 0x8003, "aarch64" }, { 0x8004, "mips64" }, { 0x8005, "loongarch64" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].processor == processor)
			return names[i].name;
	return NULL;
}

static void set_register(struct minidump_registers *registers, unsigned number, uint64_t value)
{
	registers->value[number] = value;
	registers->known |= (uint64_t)1 << number;
}

/* Flags of four bytes at `at` of the record; 0 when they are cut off. */
static uint32_t read_flags(struct reader in, size_t at)
{
	reader_skip(&in, at);
	return reader_u32(&in);
}

static enum minidump_machine guess_machine(const struct reader *in)
{
	uint32_t first = read_flags(*in, 0);

	if (context_has_windows_flag(read_flags(*in, CONTEXT_AMD64_FLAGS_AT), CONTEXT_AMD64))
		return MINIDUMP_MACHINE_AMD64;
	if (context_has_windows_flag(first, CONTEXT_X86))
		return MINIDUMP_MACHINE_X86;
	if (context_has_windows_flag(first, CONTEXT_ARM_WINDOWS) ||
	    context_has_breakpad_flag(first, CONTEXT_ARM_BREAKPAD))
		return MINIDUMP_MACHINE_ARM;
	if (context_has_windows_flag(first, CONTEXT_ARM64) ||
	    context_has_breakpad_flag(first, CONTEXT_ARM64_BREAKPAD))
		return MINIDUMP_MACHINE_ARM64;
	return MINIDUMP_MACHINE_UNKNOWN;
}

/*
 * Returns the groups that the flags call filled in.  The reader fails where the record is of another machine, or has no pc and stack
 * pointer.
 */
static uint32_t check_groups(struct reader *in, uint32_t flags, bool machine, uint32_t needed)
{
	uint32_t groups = context_groups(flags);

	if (reader_ok(in) && !machine)
		reader_fail(in, CAIRN_MALFORMED, "registers of another machine");
	else if (reader_ok(in) && (groups & needed) != needed)
		reader_fail(in, CAIRN_MALFORMED, WITHOUT_PC);
	return groups;
}

/* A record of zeros alone was not filled in, whatever its flags promise. */
static bool is_blank(const struct minidump_registers *registers)
{
	uint64_t all = registers->pc;

	for (size_t i = 0; i < sizeof(registers->value) / sizeof(registers->value[0]); i++)
		all |= registers->value[i];
	return all == 0;
}

/* DWARF numbers of the registers in the order of the record. */
static void read_x86(struct reader *in, struct minidump_registers *registers)
{
	static const uint8_t integers[] = { 7, 6, 3, 2, 1, 0 };
	uint32_t flags = reader_u32(in);

	uint32_t groups = check_groups(in, flags, context_has_windows_flag(flags, CONTEXT_X86),
	                               CONTEXT_CONTROL);
	reader_skip(in, X86_REGISTERS_AT - 4);
	for (size_t i = 0; i < sizeof(integers); i++) {
		uint32_t value = reader_u32(in);
		if (groups & CONTEXT_INTEGER)
			set_register(registers, integers[i], value);
	}
	set_register(registers, 5, reader_u32(in));
	registers->pc = reader_u32(in);
	reader_skip(in, 8); /* cs, eflags */
	set_register(registers, 4, reader_u32(in));
}

enum { AMD64_RSP = 7, AMD64_RBP = 6 };

static void read_amd64(struct reader *in, struct minidump_registers *registers)
{
	static const uint8_t order[] = { 0, 2, 1,  3,  AMD64_RSP, AMD64_RBP, 4,  5,
		                         8, 9, 10, 11, 12,        13,        14, 15 };

	reader_skip(in, CONTEXT_AMD64_FLAGS_AT);
	uint32_t flags = reader_u32(in);
	uint32_t groups = check_groups(in, flags, context_has_windows_flag(flags, CONTEXT_AMD64),
	                               CONTEXT_CONTROL);
	reader_skip(in, AMD64_REGISTERS_AT - CONTEXT_AMD64_FLAGS_AT - 4);
	for (size_t i = 0; i < sizeof(order); i++) {
		uint64_t value = reader_u64(in);
		if (order[i] == AMD64_RSP || groups & CONTEXT_INTEGER)
			set_register(registers, order[i], value);
	}
	registers->pc = reader_u64(in);
}

static void read_arm(struct reader *in, struct minidump_registers *registers)
{
	uint32_t flags = reader_u32(in);
	bool windows = context_has_windows_flag(flags, CONTEXT_ARM_WINDOWS);

	uint32_t groups = check_groups(
		in, flags, windows || context_has_breakpad_flag(flags, CONTEXT_ARM_BREAKPAD),
		windows ? CONTEXT_CONTROL : CONTEXT_INTEGER);
	for (unsigned i = 0; i <= ARM_PC; i++) {
		uint32_t value = reader_u32(in);
		if (i >= ARM_PC - 2 || groups & CONTEXT_INTEGER)
			set_register(registers, i, value);
	}
	registers->pc = registers->value[ARM_PC];
}

/* Windows counts fp, lr, sp and pc as control registers, Breakpad all as integers. */
static void read_arm64(struct reader *in, struct minidump_registers *registers)
{
	uint32_t flags = reader_u32(in);
	bool windows = context_has_windows_flag(flags, CONTEXT_ARM64);

	uint32_t groups = check_groups(
		in, flags, windows || context_has_breakpad_flag(flags, CONTEXT_ARM64_BREAKPAD),
		windows ? CONTEXT_CONTROL : CONTEXT_INTEGER);
	reader_u32(in); /* cpsr, or the upper half of the flags */
	for (unsigned i = 0; i < ARM64_WORDS; i++) {
		uint64_t value = reader_u64(in);
		if (i >= ARM64_WORDS - 3 || groups & CONTEXT_INTEGER)
			set_register(registers, i, value);
	}
	registers->pc = reader_u64(in);
}

enum cairn_status minidump_read_registers(const struct minidump *dump,
                                          enum minidump_machine machine,
                                          const struct minidump_part *context,
                                          struct minidump_registers *registers,
                                          struct cairn_fault *fault)
{
	struct reader in = minidump_open_part(dump, context);

	if (context->bytes.size == 0)
		reader_fail_at(&in, (size_t)context->offset,
		               context->cut ? CAIRN_TRUNCATED : CAIRN_NOT_FOUND,
		               "there are no registers");
	if (machine == MINIDUMP_MACHINE_UNKNOWN)
		machine = guess_machine(&in);
	*registers = (struct minidump_registers){ .machine = machine };
	switch (machine) {
	case MINIDUMP_MACHINE_X86:
		read_x86(&in, registers);
		break;
	case MINIDUMP_MACHINE_AMD64:
		read_amd64(&in, registers);
		break;
	case MINIDUMP_MACHINE_ARM:
		read_arm(&in, registers);
		break;
	case MINIDUMP_MACHINE_ARM64:
		read_arm64(&in, registers);
		break;
	case MINIDUMP_MACHINE_OTHER:
		reader_fail_at(&in, (size_t)context->offset, CAIRN_UNSUPPORTED,
		               "registers of a machine whose stacks are not unwound");
		break;
	case MINIDUMP_MACHINE_UNKNOWN:
		reader_fail_at(&in, (size_t)context->offset, CAIRN_UNSUPPORTED,
		               "registers of a machine that is not known");
		break;
	}
	if (reader_ok(&in) && is_blank(registers))
		reader_fail_at(&in, (size_t)context->offset, CAIRN_MALFORMED, WITHOUT_PC);
	if (!reader_ok(&in))
		*registers = (struct minidump_registers){ .machine = machine };
	*fault = in.fault;
	return in.fault.status;
}
