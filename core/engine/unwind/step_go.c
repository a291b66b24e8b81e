/* SPDX-License-Identifier: MIT */
/*
 * One step by the table of a Go program that the host has for the module: for each instruction it has the size of
 * the frame below the return address.  Go keeps no registers in calls but the frame pointer.
 */
#include "step.h"

#include "formats/gopclntab/gopclntab.h"

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

/* On amd64 the call pushed the return address, and the frame is below that. */
static void fill_go_rule(struct unwind_context *u, const struct gopclntab *table,
                         const struct gopclntab_function *function, const struct gopclntab_run *run)
{
	u->step->rule = (struct cairn_rule){
		.cfa = { CAIRN_REGISTER_VALUE, u->arch->sp, run->value + u->arch->word },
		.ra = { CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA, -u->arch->word },
		.fp = { CAIRN_REGISTER_SAME_VALUE, CAIRN_BASE_CFA, 0 },
		.start = run->low,
		.end = run->high,
		.function = function->start,
		.function_end = function->end,
		.machine = u->frame->machine,
		.outermost = gopclntab_is_outermost(table, function)
	};
}

static bool find_go_rule(struct unwind_context *u)
{
	const struct go_tables *tables = &u->space->go;
	struct gopclntab_function function;
	struct gopclntab_run run;
	uint64_t va, bias = 0, index;

	if (u->frame->machine != CAIRN_MACHINE_AMD64)
		return unwind_stop(u, CAIRN_STOP_NO_TABLE);
	if (!unwind_find_module(u, &va))
		return false;
	const struct gopclntab *table = tables->find(tables->context, va + u->module->bias, &bias);
	if (!table)
		return unwind_stop(u, CAIRN_STOP_NO_TABLE);
	va += u->module->bias - bias;
	if (!gopclntab_find(table, va, &index) ||
	    !gopclntab_read_function(table, index, &function) ||
	    !find_frame_size(table, &function, va, &run))
		return unwind_stop(u, CAIRN_STOP_NO_ROW);
	fill_go_rule(u, table, &function, &run);
	u->step->function = function.start + bias;
	return true;
}

/*
 * A frame saves the frame pointer just below the return address, and then points there with it: so it does when it
 * holds that address.
 */
static void restore_frame_pointer(struct unwind_context *u)
{
	const struct cairn_registers *frame = u->frame;
	uint64_t at = u->step->cfa - 2u * u->arch->word, saved;

	if (!register_known(frame, u->arch->fp))
		return;
	if (frame->value[u->arch->fp] != at) {
		register_set(&u->step->caller, u->arch->fp, frame->value[u->arch->fp]);
		return;
	}
	u->step->rule.fp = (struct cairn_register_rule){ CAIRN_REGISTER_MEMORY, CAIRN_BASE_CFA,
		                                         -2 * u->arch->word };
	if (arch_read_word(u->arch, &u->space->target, frame->big_endian, at, &saved))
		register_set(&u->step->caller, u->arch->fp, saved);
}

static bool find_go_caller(struct unwind_context *u)
{
	const struct cairn_registers *frame = u->frame;
	uint64_t pc;

	if (!register_known(frame, u->arch->sp))
		return unwind_stop(u, CAIRN_STOP_CFA_UNKNOWN);
	u->step->cfa = unwind_substitute_cfa(u);
	if (u->step->rule.outermost)
		return unwind_stop(u, CAIRN_STOP_OUTERMOST);
	u->step->cfa = frame->value[u->arch->sp] + (uint64_t)u->step->rule.cfa.offset;
	if (!unwind_is_plausible_cfa(u, u->step->cfa))
		return unwind_stop(u, CAIRN_STOP_CFA_IMPLAUSIBLE);
	if (!arch_read_word(u->arch, &u->space->target, frame->big_endian,
	                    u->step->cfa - u->arch->word, &pc))
		return unwind_stop(u, CAIRN_STOP_RA_UNREADABLE);
	u->step->caller = (struct cairn_registers){ .machine = frame->machine,
		                                    .big_endian = frame->big_endian,
		                                    .pc = pc };
	register_set(&u->step->caller, u->arch->sp, u->step->cfa);
	restore_frame_pointer(u);
	return true;
}

bool unwind_step_go(struct unwind_context *u)
{
	if (!find_go_rule(u))
		return false;
	u->step->method = CAIRN_UNWIND_METHOD_GO;
	u->step->caller_kind = CAIRN_FRAME_RETURN;
	return find_go_caller(u) && unwind_check_caller(u);
}
