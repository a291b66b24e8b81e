/* SPDX-License-Identifier: MIT */
/*
 * Tries the unwind methods in order, best first. From a place without code there is one way, that
 * of the call that led there. Elsewhere: .eh_frame restores all registers, .sframe the ones a stack
 * needs, a Breakpad file those it was written with, the table of a Go program those that Go keeps; stubs
 * of a PLT are known by their code; and the chain of frame pointers is a guess that must look right.
 */
#include "methods.h"

#include "unwind/paths/first_frame.h"
#include "unwind/step/signal_trampoline.h"

#include <string.h>

/* Was there a rule for the pc, or the ruins of one? */
static bool had_rule(enum cairn_stop stop)
{
	return stop != CAIRN_STOP_NO_MODULE && stop != CAIRN_STOP_NO_TABLE &&
	       stop != CAIRN_STOP_NO_ROW && stop != CAIRN_STOP_MACHINE;
}

/* The rule was good, and what it led to is how the stack is: a guess would know no better. */
static bool is_final(struct cairn_step *step)
{
	/* by convention nobody called the first frame of a stack */
	if (step->stop == CAIRN_STOP_RA_IMPLAUSIBLE && step->caller.pc == 0)
		step->stop = CAIRN_STOP_OUTERMOST;
	return step->stop == CAIRN_STOP_NONE || step->stop == CAIRN_STOP_OUTERMOST ||
	       step->stop == CAIRN_STOP_RA_IMPLAUSIBLE || step->stop == CAIRN_STOP_RA_UNREADABLE;
}

static void reset_step(struct unwind_context *u)
{
	*u->step = (struct cairn_step){ .stop = CAIRN_STOP_NONE };
}

/* By one table; when it does not lead on either, the step gives the reason why the better of them did not. */
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

/* Is the frame at an entry point that no table describes? */
static bool is_at_bare_entry(struct unwind_context *u)
{
	if (had_rule(u->step->stop) || !unwind_find_module(u))
		return false;
	unwind_note_uncovered_entry(u);
	return u->step->at_entry;
}

/* A small function near the entry point has a chain that leads on, to what follows a call; the first one has none. */
static bool unwind_past_bare_entry(struct unwind_context *u)
{
	const struct cairn_step at_entry = *u->step;

	reset_step(u);
	if (unwind_step_frame_pointer(u) && unwind_is_return(u, u->step->caller.pc))
		return true;
	*u->step = at_entry;
	return unwind_stop(u, CAIRN_STOP_OUTERMOST);
}

/* Is the frame the first of a thread, by its code alone? */
static bool is_end_of_thread(struct unwind_context *u)
{
	if (had_rule(u->step->stop) ||
	    !(first_frame_ends_thread(u) || first_frame_is_new_thread(u)))
		return false;
	u->step->cfa = unwind_substitute_cfa(u);
	return true;
}

/* Where a handler's frame has its return address, from the CFA: where the call pushed it, or by a rule; 0: nowhere. */
static int64_t find_trampoline_place(const struct unwind_context *u)
{
	const struct cairn_register_rule *ra = &u->step->rule.ra;

	if (!u->arch->link)
		return -(int64_t)u->arch->word;
	return ra->kind == CAIRN_REGISTER_MEMORY && ra->base == CAIRN_BASE_CFA ? ra->offset : 0;
}

/*
 * Go marks its signal handler as the outermost function of the stack that signals are handled on.  The kernel has put the
 * address of a trampoline there all the same, and by that the stack goes on to what was interrupted.
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
