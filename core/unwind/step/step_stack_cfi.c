/* SPDX-License-Identifier: MIT */
/* Unwinds by the STACK CFI records of a Breakpad file that the host supplies for the module. */
#include "methods.h"

#include "unwind/tables/stack_cfi_caller.h"

static bool find_stack_row(struct unwind_context *u, struct stack_cfi_row *row, uint64_t *low)
{
	const struct stack_cfi_files *files = &u->space->breakpad;
	const uint64_t pc = unwind_lookup_address(u);
	const struct stack_cfi *rules = files->find ? files->find(files->context, pc, low) : NULL;

	if (!rules)
		return unwind_stop(u, CAIRN_STOP_NO_TABLE);
	const enum cairn_status found = stack_cfi_find(rules, pc - *low, row, &u->step->fault);
	if (found == CAIRN_NOT_FOUND)
		u->step->fault = (struct cairn_fault){ CAIRN_OK, 0, NULL };
	return found == CAIRN_OK || unwind_stop_without_rule(u, found);
}

/*
 * Return the frame's registers, without a link register in a caller: its own calls have overwritten
 * it.
 */
static struct cairn_registers frame_registers(const struct unwind_context *u)
{
	struct cairn_registers frame = *u->frame;

	if (u->arch->link && u->kind == CAIRN_FRAME_RETURN)
		frame.known &= ~((uint64_t)1 << u->arch->ra);
	return frame;
}

static bool stop_by_status(struct unwind_context *u, enum cairn_status status, bool has_cfa)
{
	if (status == CAIRN_NOT_FOUND)
		return unwind_stop(u, has_cfa ? CAIRN_STOP_LINK_UNKNOWN : CAIRN_STOP_CFA_UNKNOWN);
	if (status == CAIRN_UNREADABLE)
		return unwind_stop(u, has_cfa ? CAIRN_STOP_RA_UNREADABLE : CAIRN_STOP_CFA_UNKNOWN);
	return unwind_stop(u, CAIRN_STOP_BAD_TABLE);
}

static void describe_step(struct unwind_context *u, const struct stack_cfi_row *row, uint64_t low)
{
	u->step->method = CAIRN_UNWIND_METHOD_STACK_CFI;
	u->step->function = row->function + low;
	u->step->rule.start = row->start;
	u->step->rule.end = row->end;
	u->step->rule.function = row->function;
	u->step->rule.machine = u->frame->machine;
	u->step->caller_kind = CAIRN_FRAME_RETURN;
}

/* Return true if both the CFA and the stack pointer move up the stack. */
static bool moves_up(const struct unwind_context *u, const struct cairn_registers *caller)
{
	unsigned sp = u->arch->sp;

	return register_known(caller, sp) && unwind_is_plausible_cfa(u, caller->value[sp]) &&
	       unwind_is_plausible_cfa(u, u->step->cfa);
}

bool unwind_step_stack_cfi(struct unwind_context *u)
{
	struct cairn_registers frame = frame_registers(u);
	struct stack_cfi_caller caller;
	struct stack_cfi_row row;
	uint64_t low = 0;

	if (!find_stack_row(u, &row, &low))
		return false;
	describe_step(u, &row, low);
	enum cairn_status status =
		stack_cfi_caller(&row, &u->space->target, &frame, &caller, &u->step->fault);
	u->step->cfa = caller.has_cfa ? caller.cfa : unwind_substitute_cfa(u);
	if (caller.outermost)
		return unwind_stop(u, CAIRN_STOP_OUTERMOST);
	if (status != CAIRN_OK)
		return stop_by_status(u, status, caller.has_cfa);
	u->step->caller = caller.registers;
	u->step->caller.pc =
		arch_strip(frame.machine, caller.registers.pc, u->space->signature_bits);
	if (!register_known(&frame, u->arch->sp))
		return unwind_stop(u, CAIRN_STOP_CFA_UNKNOWN);
	if (!moves_up(u, &caller.registers))
		return unwind_stop(u, CAIRN_STOP_CFA_IMPLAUSIBLE);
	return unwind_check_caller(u);
}
