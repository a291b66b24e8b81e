/* SPDX-License-Identifier: MIT */
/*
 * Reads the registers of a thread. Each machine has its own type of context record. This file reads
 * only the integer registers, which are in the first part:
 *
 *	x86    flags:4 ... edi esi ebx edx ecx eax at 156, ebp eip cs eflags esp from 180 on
 *	amd64  ... flags:4 at 48, rax rcx rdx rbx rsp rbp rsi rdi r8 to r15 from 120 on, rip
 *	arm    flags:4 r0 to r15
 *	arm64  flags:4 cpsr:4 x0 to x30 sp pc, or flags:8 x0 to x30 sp pc, as Breakpad writes it
 *
 * The flags identify the machine and the groups of registers that are valid.
 */
#include "minidump.h"

#include "context_flags.h"
#include "part.h"

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
	case 0x8003: /* used by Breakpad for arm64 before Windows defined a number */
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

enum {
	PC = 0xff,  /* stands for the program counter in a register order */
	GAP = 0xfe, /* stands for eight unused bytes in a register order */
	ARM_PC = 15,
};

/* Registers in the order of each record, as DWARF numbers. */
static const uint8_t amd64_order[] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15, PC };
static const uint8_t x86_order[] = { 7, 6, 3, 2, 1, 0, 5, PC, GAP, 4 };
static const uint8_t arm_order[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, ARM_PC };
static const uint8_t arm64_order[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
	                               11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
	                               22, 23, 24, 25, 26, 27, 28, 29, 30, 31, PC };

/*
 * Layouts of the records. Windows counts fp, lr, sp and pc as control registers instead of integer
 * registers; Breakpad counts all as integer registers.
 */
static const struct layout {
	enum minidump_machine machine;
	/* flags that identify the machine; 0 if Breakpad does not define one */
	uint32_t windows, breakpad;
	size_t flags_at, registers_at;
	bool is_wide;     /* registers have 8 bytes instead of 4 */
	uint32_t control; /* mask of the control registers, except pc, by DWARF number */
	size_t count;
	const uint8_t *order;
} layouts[] = {
	{ MINIDUMP_MACHINE_AMD64, CONTEXT_AMD64, 0, CONTEXT_AMD64_FLAGS_AT, 120, true, 1 << 7,
	  sizeof(amd64_order), amd64_order },
	{ MINIDUMP_MACHINE_X86, CONTEXT_X86, 0, 0, 156, false, 3 << 4, sizeof(x86_order),
	  x86_order },
	{ MINIDUMP_MACHINE_ARM, CONTEXT_ARM_WINDOWS, CONTEXT_ARM_BREAKPAD, 0, 4, false, 7 << 13,
	  sizeof(arm_order), arm_order },
	{ MINIDUMP_MACHINE_ARM64, CONTEXT_ARM64, CONTEXT_ARM64_BREAKPAD, 0, 8, true, 7u << 29,
	  sizeof(arm64_order), arm64_order },
};

enum { LAYOUTS = sizeof(layouts) / sizeof(layouts[0]) };

static bool names_machine(uint32_t flags, const struct layout *layout)
{
	return context_has_windows_flag(flags, layout->windows) ||
	       context_has_breakpad_flag(flags, layout->breakpad);
}

static enum minidump_machine guess_machine(const struct reader *in)
{
	for (size_t i = 0; i < LAYOUTS; i++) {
		struct reader ahead = *in;
		reader_skip(&ahead, layouts[i].flags_at);
		if (names_machine(reader_u32(&ahead), &layouts[i]))
			return layouts[i].machine;
	}
	return MINIDUMP_MACHINE_UNKNOWN;
}

/*
 * Return the groups of registers that the flags declare valid. The reader fails if the record is of
 * another machine or lacks the pc and stack pointer.
 */
static uint32_t read_groups(struct reader *in, const struct layout *layout)
{
	const uint32_t flags = reader_u32(in), groups = context_groups(flags);
	const bool is_windows = context_has_windows_flag(flags, layout->windows);
	const uint32_t needed = is_windows ? CONTEXT_CONTROL : CONTEXT_INTEGER;

	if (reader_ok(in) && !names_machine(flags, layout))
		reader_fail(in, CAIRN_MALFORMED, "registers of another machine");
	else if (reader_ok(in) && (groups & needed) != needed)
		reader_fail(in, CAIRN_MALFORMED, WITHOUT_PC);
	return groups;
}

static void read_layout(struct reader *in, const struct layout *layout,
                        struct minidump_registers *registers)
{
	reader_skip(in, layout->flags_at);
	const uint32_t groups = read_groups(in, layout);
	reader_skip(in, layout->registers_at - layout->flags_at - 4);
	for (size_t i = 0; i < layout->count; i++) {
		const uint8_t number = layout->order[i];
		if (number == GAP) {
			reader_skip(in, 8);
			continue;
		}
		const uint64_t value = reader_word(in, layout->is_wide);
		if (number == PC || (number == ARM_PC && layout->machine == MINIDUMP_MACHINE_ARM))
			registers->pc = value;
		if (number == PC || !(groups & CONTEXT_INTEGER || layout->control >> number & 1))
			continue;
		registers->value[number] = value;
		registers->known |= (uint64_t)1 << number;
	}
}

/* Return true if all registers are 0. Such a record was not filled in, whatever its flags say. */
static bool is_blank(const struct minidump_registers *registers)
{
	uint64_t all = registers->pc;

	for (size_t i = 0; i < sizeof(registers->value) / sizeof(registers->value[0]); i++)
		all |= registers->value[i];
	return all == 0;
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
	for (size_t i = 0; i < LAYOUTS; i++)
		if (layouts[i].machine == machine)
			read_layout(&in, &layouts[i], registers);
	if (machine == MINIDUMP_MACHINE_OTHER || machine == MINIDUMP_MACHINE_UNKNOWN)
		reader_fail_at(&in, (size_t)context->offset, CAIRN_UNSUPPORTED,
		               machine == MINIDUMP_MACHINE_OTHER
		                       ? "registers of a machine whose stacks are not unwound"
		                       : "registers of a machine that is not known");
	if (reader_ok(&in) && is_blank(registers))
		reader_fail_at(&in, (size_t)context->offset, CAIRN_MALFORMED, WITHOUT_PC);
	if (!reader_ok(&in))
		*registers = (struct minidump_registers){ .machine = machine };
	*fault = in.fault;
	return in.fault.status;
}
