/* SPDX-License-Identifier: MIT */
/*
 * One step by the table of a Go program that the host has for the module: for each instruction it has the size of
 * the frame below the return address.  Go keeps no registers in calls but the frame pointer.
 */
#include "methods.h"

#include "formats/gopclntab/gopclntab.h"

#include <string.h>

enum { INJECTED_SIZE = 16 }; /* that an injected call takes from the stack: a word, aligned */

/* The run of the table of sizes that holds `va`. */
static bool find_frame_size(const struct gopclntab *table,
                            const struct gopclntab_function *function, uint64_t va,
                            struct gopclntab_run *run)
{
	struct gopclntab_values values = gopclntab_values(table, function, function->stack);

	while (gopclntab_next_run(&values, run))
		if (va < run->high)
			return run->value >= 0;
	return false;
}

/*
 * On amd64 the call pushed the return address, and the frame is below that; a frame saves the frame pointer there.
 * On aarch64 the link register has it until there is a frame, which has it at its low end.  The frame pointer is saved
 * below that, outside of the frame.
 */
static void fill_go_rule(struct unwind_context *u, const struct gopclntab *table,
                         const struct gopclntab_function *function, const struct gopclntab_run *run)
{
	struct cairn_rule *rule = &u->step->rule;
	const int32_t pushed = u->arch->link ? 0 : u->arch->word;
	const int32_t below = u->arch->link ? run->value : pushed; /* from the CFA to the address */

	*rule = (struct cairn_rule){
		.cfa = { CAIRN_REGISTER_VALUE, u->arch->sp, run->value + pushed },
		.ra = { below > 0 ? CAIRN_REGISTER_MEMORY : CAIRN_REGISTER_SAME_VALUE,
		        CAIRN_BASE_CFA, -below },
		.fp = { CAIRN_REGISTER_SAME_VALUE, CAIRN_BASE_CFA, 0 },
		.start = run->low,
		.end = run->high,
		.function = function->start,
		.function_end = function->end,
		.machine = u->frame->machine,
		.outermost = gopclntab_is_outermost(table, function)
	};
}

static bool find_go_rule(struct unwind_context *u, struct gopclntab_function *function)
{
	const struct go_tables *tables = &u->space->go;
	struct gopclntab_run run;
	uint64_t bias = 0, index;

	if (u->frame->machine != CAIRN_MACHINE_AMD64 && u->frame->machine != CAIRN_MACHINE_AARCH64)
		return unwind_stop(u, CAIRN_STOP_NO_TABLE);
	if (!unwind_find_module(u))
		return false;
	const struct gopclntab *table =
		tables->find(tables->context, u->va + u->module->bias, &bias);
	if (!table)
		return unwind_stop(u, CAIRN_STOP_NO_TABLE);
	const uint64_t va = u->va + u->module->bias - bias;
	if (!gopclntab_find(table, va, &index) ||
	    !gopclntab_read_function(table, index, function) ||
	    !find_frame_size(table, function, va, &run))
		return unwind_stop(u, CAIRN_STOP_NO_ROW);
	fill_go_rule(u, table, function, &run);
	u->step->function = function->start + bias;
	return true;
}

/*
 * A frame saves the frame pointer just below the return address, and then points there with it: so it does when it
 * holds that address.
 */
static void restore_frame_pointer(struct unwind_context *u, uint64_t at)
{
	const struct cairn_registers *frame = u->frame;
	uint64_t saved;

	if (!register_known(frame, u->arch->fp))
		return;
	if (frame->value[u->arch->fp] != at) {
		register_set(&u->step->caller, u->arch->fp, frame->value[u->arch->fp]);
		return;
	}
	u->step->rule.fp = (struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA,
		                                         (int32_t)(at - u->step->cfa) };
	if (unwind_read_word(u, at, &saved))
		register_set(&u->step->caller, u->arch->fp, saved);
}

/* *at: where it is in memory; where it would be, when it is in the link register. */
static bool find_return_pc(struct unwind_context *u, uint64_t *at, uint64_t *pc)
{
	const struct cairn_register_rule *ra = &u->step->rule.ra;

	*at = u->step->cfa + (uint64_t)ra->offset;
	if (ra->kind == CAIRN_REGISTER_MEMORY)
		return unwind_read_word(u, *at, pc) || unwind_stop(u, CAIRN_STOP_RA_UNREADABLE);
	/* only the innermost frame has called nobody since */
	if (u->kind == CAIRN_FRAME_RETURN || !register_known(u->frame, u->arch->ra))
		return unwind_stop(u, CAIRN_STOP_LINK_UNKNOWN);
	*pc = u->frame->value[u->arch->ra];
	return true;
}

static bool find_go_caller(struct unwind_context *u)
{
	const struct cairn_registers *frame = u->frame;
	uint64_t at, pc;

	if (!register_known(frame, u->arch->sp))
		return unwind_stop(u, CAIRN_STOP_CFA_UNKNOWN);
	u->step->cfa = unwind_substitute_cfa(u);
	if (u->step->rule.outermost)
		return unwind_stop(u, CAIRN_STOP_OUTERMOST);
	u->step->cfa = frame->value[u->arch->sp] + (uint64_t)u->step->rule.cfa.offset;
	if (!unwind_is_plausible_cfa(u, u->step->cfa))
		return unwind_stop(u, CAIRN_STOP_CFA_IMPLAUSIBLE);
	if (!find_return_pc(u, &at, &pc))
		return false;
	u->step->caller =
		unwind_registers_at(u, arch_strip(frame->machine, pc, u->space->signature_bits));
	register_set(&u->step->caller, u->arch->sp, u->step->cfa);
	restore_frame_pointer(u, at - u->arch->word);
	return true;
}

/* Does the runtime enter this function in the place of an instruction, as if that had called it? */
static bool is_injected(const struct gopclntab_function *function)
{
	static const char *const names[] = { "runtime.sigpanic", "runtime.asyncPreempt" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (function->name.size == strlen(names[i]) &&
		    memcmp(function->name.data, names[i], function->name.size) == 0)
			return true;
	return false;
}

/*
 * With a link register such a call would lose what that held: it was pushed, and the register got the instruction's
 * address, which is where the caller is and not behind a call.
 */
static void pop_link_register(struct unwind_context *u)
{
	struct cairn_registers *caller = &u->step->caller;
	uint64_t link;

	if (!unwind_read_word(u, u->step->cfa, &link))
		return;
	register_set(caller, u->arch->ra, link);
	register_set(caller, u->arch->sp, u->step->cfa + INJECTED_SIZE);
	u->step->caller_kind = CAIRN_FRAME_PC;
}

bool unwind_step_go(struct unwind_context *u)
{
	struct gopclntab_function function;

	if (!find_go_rule(u, &function))
		return false;
	u->step->method = CAIRN_UNWIND_METHOD_GO;
	u->step->caller_kind = CAIRN_FRAME_RETURN;
	if (!find_go_caller(u))
		return false;
	if (u->arch->link && is_injected(&function))
		pop_link_register(u);
	return unwind_check_caller(u);
}
