/* SPDX-License-Identifier: MIT */
/*
 * Breakpad files of any bytes, as rules for a stack.  Always: the rules at an address hold for a
 * range with the address in it, no register has two of them, and what they come to for a 32-bit
 * machine fits 32 bits.
 */
#include "fuzz.h"

#include "formats/breakpad.h"
#include "unwind/tables/stack_cfi.h"

#include <string.h>

static enum cairn_status serve(void *context, uint64_t address, void *buffer, size_t size)
{
	(void)context;
	for (size_t i = 0; i < size; i++)
		((uint8_t *)buffer)[i] = (uint8_t)(address + i);
	return address % 5 ? CAIRN_OK : CAIRN_UNREADABLE;
}

static void check_row(const struct stack_cfi_row *row, uint64_t va)
{
	ALWAYS(row->function <= row->start && row->start <= va && va < row->end);
	ALWAYS(row->count > 0 && row->count <= STACK_CFI_RULES_MAX);
	for (size_t i = 0; i < row->count; i++) {
		ALWAYS(row->rule[i].name.size > 0 && row->rule[i].expression.size > 0);
		for (size_t k = 0; k < i; k++)
			ALWAYS(row->rule[i].name.size != row->rule[k].name.size ||
			       memcmp(row->rule[i].name.data, row->rule[k].name.data,
			              row->rule[i].name.size) != 0);
	}
}

static void check_caller(const struct stack_cfi_row *row, enum cairn_machine machine)
{
	static const struct cairn_target target = { serve, NULL };
	struct cairn_registers frame = { .machine = machine, .pc = 0x1234, .known = 0xfffffff0f };
	struct stack_cfi_caller caller;
	struct cairn_fault fault;
	bool narrow = machine == CAIRN_MACHINE_I386 || machine == CAIRN_MACHINE_ARM;

	for (unsigned i = 0; i < CAIRN_REGISTERS; i++)
		frame.value[i] = 0x1000 * i;
	if (stack_cfi_caller(row, &target, &frame, &caller, &fault) != CAIRN_OK)
		return;
	ALWAYS(caller.has_cfa);
	for (unsigned i = 0; narrow && i < CAIRN_REGISTERS; i++)
		ALWAYS(!register_known(&caller.registers, i) ||
		       caller.registers.value[i] <= UINT32_MAX);
	ALWAYS(!narrow || (caller.cfa <= UINT32_MAX && caller.registers.pc <= UINT32_MAX));
}

static void check_address(const struct stack_cfi *rules, uint64_t va)
{
	struct stack_cfi_row row;
	struct cairn_fault fault;

	if (stack_cfi_find(rules, va, &row, &fault) != CAIRN_OK) {
		ALWAYS(fault.status != CAIRN_OK);
		return;
	}
	check_row(&row, va);
	check_caller(&row, CAIRN_MACHINE_AMD64);
	check_caller(&row, CAIRN_MACHINE_I386);
	check_caller(&row, CAIRN_MACHINE_ARM);
	check_caller(&row, CAIRN_MACHINE_AARCH64);
	check_caller(&row, CAIRN_MACHINE_S390X);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cairn_bytes bytes = { data ? data : (const uint8_t *)"", size };
	struct stack_cfi *rules = stack_cfi_new(bytes);
	struct breakpad in = breakpad_open(bytes);
	struct breakpad_record record;
	struct breakpad_stack stack;

	ALWAYS(rules && stack_cfi_count(rules) <= size);
	while (breakpad_next(&in, &record)) {
		if (record.kind != BREAKPAD_STACK)
			continue;
		breakpad_read_stack(record.stack, &stack);
		check_address(rules, stack.address);
		check_address(rules, stack.address + stack.size - 1);
	}
	stack_cfi_free(rules);
	return 0;
}
