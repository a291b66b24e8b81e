/* SPDX-License-Identifier: MIT */
/*
 * Tries the unwind methods in order, best first. A pc outside of code was reached by a bad call,
 * which only step_call.c can undo. Otherwise .eh_frame restores all registers, .sframe the ones
 * needed for a stack trace, a Breakpad file those it lists, and a Go program's table those that Go
 * preserves. PLT stubs are recognized by their code. Last comes the chain of frame pointers, which
 * is a guess that must look right.
 */
#include "methods.h"

#include "first_frame.h"
#include "signal_trampoline.h"

#include <string.h>

/* Return true if a table covered the pc, even if the entry was damaged. */
static bool had_rule(enum cairn_stop stop)
{
	return stop != CAIRN_STOP_NO_MODULE && stop != CAIRN_STOP_NO_TABLE &&
	       stop != CAIRN_STOP_NO_ROW && stop != CAIRN_STOP_MACHINE;
}

/*
 * Return true if the result of a valid rule stands. Even if it leads nowhere, a guess could not do
 * better.
 */
static bool is_final(struct cairn_step *step)
{
	/* by convention the first frame of a stack has return address 0 */
	if (step->stop == CAIRN_STOP_RA_IMPLAUSIBLE && step->caller.pc == 0)
		step->stop = CAIRN_STOP_OUTERMOST;
	return step->stop == CAIRN_STOP_NONE || step->stop == CAIRN_STOP_OUTERMOST ||
	       step->stop == CAIRN_STOP_RA_IMPLAUSIBLE || step->stop == CAIRN_STOP_RA_UNREADABLE;
}

static void reset_step(struct unwind_context *u)
{
	*u->step = (struct cairn_step){ .stop = CAIRN_STOP_NONE };
}

/* Try one table. If it fails as well, keep the more informative of both stop reasons. */
static bool unwind_by_table(struct unwind_context *u, bool (*step)(struct unwind_context *u))
{
	const struct cairn_step without = *u->step;

	reset_step(u);
	step(u);
	if (is_final(u->step))
		return true;
	if (had_rule(without.stop) && !had_rule(u->step->stop))
		*u->step = without;
	return false;
}

static bool unwind_by_tables(struct unwind_context *u)
{
	reset_step(u);
	unwind_step_cfi(u);
	if (unwind_crosses_go_stacks(u))
		return unwind_by_table(u, unwind_step_go);
	return is_final(u->step) || unwind_by_table(u, unwind_step_sframe) ||
	       (u->space->breakpad.find && unwind_by_table(u, unwind_step_stack_cfi)) ||
	       (u->space->go.find && unwind_by_table(u, unwind_step_go)) ||
	       (u->step->stop == CAIRN_STOP_NO_MODULE && unwind_by_table(u, unwind_step_made_code));
}

static bool is_at_bare_entry(struct unwind_context *u)
{
	if (had_rule(u->step->stop) || !unwind_find_module(u))
		return false;
	unwind_note_uncovered_entry(u);
	return u->step->at_entry;
}

/*
 * Try the frame pointer at a possible entry point. Where the entry point is known only
 * approximately, the frame may be in a small function nearby, whose chain leads to an address after
 * a call. The chain of the real entry point does not.
 */
static bool unwind_past_bare_entry(struct unwind_context *u)
{
	const struct cairn_step at_entry = *u->step;

	reset_step(u);
	if (unwind_step_frame_pointer(u) && unwind_is_return(u, u->step->caller.pc))
		return true;
	*u->step = at_entry;
	return unwind_stop(u, CAIRN_STOP_OUTERMOST);
}

/* Return true if code alone shows that the frame is the first of its thread. */
static bool is_end_of_thread(struct unwind_context *u)
{
	if (had_rule(u->step->stop) ||
	    !(first_frame_ends_thread(u) || first_frame_is_new_thread(u)))
		return false;
	u->step->cfa = unwind_substitute_cfa(u);
	return true;
}

/*
 * Return the offset from the CFA of a handler's return address: the location where the call pushed
 * it, or the location in the rule. Return 0 if the rule has no such location.
 */
static int64_t find_trampoline_place(const struct unwind_context *u)
{
	const struct cairn_register_rule *ra = &u->step->rule.ra;

	if (!u->arch->link)
		return -(int64_t)u->arch->word;
	return ra->kind == CAIRN_REGISTER_MEMORY && ra->base == CAIRN_BASE_CFA ? ra->offset : 0;
}

/*
 * Unwind from Go's signal handler, which Go marks as outermost on the signal stack. The kernel
 * nevertheless stored the address of the signal trampoline there, so the stack continues with the
 * interrupted code.
 */
static bool unwind_past_signal_handler(struct unwind_context *u)
{
	const struct cairn_register_rule *rule = &u->step->rule.cfa;
	const struct arch *arch = u->arch;
	struct cairn_registers caller = unwind_registers_at(u, 0);
	uint64_t cfa, start;
	int64_t place = find_trampoline_place(u);

	if (u->step->stop != CAIRN_STOP_OUTERMOST || place == 0 ||
	    rule->kind != CAIRN_REGISTER_VALUE || rule->base != arch->sp ||
	    !register_known(u->frame, arch->sp))
		return false;
	cfa = u->frame->value[arch->sp] + (uint64_t)rule->offset;
	if (!unwind_is_plausible_cfa(u, cfa) ||
	    !unwind_read_word(u, cfa + (uint64_t)place, &caller.pc))
		return false;
	register_set(&caller, arch->sp, cfa);
	if (!signal_trampoline_find(&u->space->target, &caller, &start))
		return false;
	u->step->stop = CAIRN_STOP_NONE;
	u->step->cfa = cfa;
	u->step->caller = caller;
	u->step->caller_kind = CAIRN_FRAME_RETURN;
	return true;
}

static bool try_unwind_methods(struct unwind_context *u)
{
	if (unwind_step_call(u))
		return true;
	if (unwind_by_tables(u))
		return u->step->stop == CAIRN_STOP_NONE || unwind_past_signal_handler(u);
	if (!had_rule(u->step->stop) && unwind_step_hidden_signal(u))
		return true;
	if (is_at_bare_entry(u))
		return unwind_past_bare_entry(u);
	if (is_end_of_thread(u))
		return unwind_stop(u, CAIRN_STOP_OUTERMOST);
	const struct cairn_step without = *u->step;
	reset_step(u);
	if (unwind_step_stub(u) || unwind_step_link_stub(u) || unwind_step_link(u) ||
	    unwind_step_return(u) || (!had_rule(without.stop) && unwind_step_hidden(u)) ||
	    unwind_step_trap(u) || unwind_step_frame_pointer(u) ||
	    u->step->stop == CAIRN_STOP_OUTERMOST)
		return u->step->stop == CAIRN_STOP_NONE;
	*u->step = without;
	return false;
}

static bool unwind_by_any(struct cairn_space *space, const struct cairn_registers *frame,
                          enum cairn_frame_kind kind, struct cairn_step *step)
{
	struct unwind_context u = unwind_begin(space, frame, kind, step);
	uint64_t start;

	reset_step(&u);
	if (!u.arch)
		return unwind_stop(&u, CAIRN_STOP_MACHINE);
	if (signal_trampoline_find_or_hidden(&space->target, frame, &start, &u.hidden))
		return unwind_step_signal(&u, start);
	return try_unwind_methods(&u);
}

bool cairn_unwind(struct cairn_space *space, const struct cairn_registers *frame,
                  enum cairn_frame_kind kind, const struct cairn_unwind_options *options,
                  struct cairn_step *step)
{
	struct cairn_unwind_options taken = CAIRN_UNWIND_OPTIONS;

	if (options)
		memcpy(&taken, options,
		       options->size < sizeof(taken) ? options->size : sizeof(taken));
	switch (taken.by) {
	case CAIRN_UNWIND_BY_SFRAME:
		return unwind_by_sframe(space, frame, kind, taken.unchecked, step);
	case CAIRN_UNWIND_BY_CODE:
		return unwind_by_code(space, frame, kind, step);
	case CAIRN_UNWIND_BY_ANY:
		break;
	}
	return unwind_by_any(space, frame, kind, step);
}
