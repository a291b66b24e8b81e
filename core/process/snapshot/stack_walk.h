/* SPDX-License-Identifier: MIT */
/*
 * Walks the stack of one thread, frame by frame, from its registers to the outermost frame or to
 * the reason why there are no more.
 *
 *	struct stack_walk walk = { .space = space, .limit = limit };
 *	if (stack_walk_begin(&walk, &thread->registers))
 *		do
 *			... walk.registers, walk.kind, walk.step
 *		while (stack_walk_next(&walk));
 *	... walk.end
 *
 * A walk always terminates: at the limit on frames, when frames repeat in a cycle, or after too
 * many switches of the stack.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_STACK_WALK_H
#define CAIRN_PROCESS_SNAPSHOT_STACK_WALK_H

#include <cairn.h>

/* Default limit on the frames of one stack: 8 MiB of frames of one word. */
#define STACK_WALK_MAX ((uint64_t)1 << 20)

/*
 * Limit on the number of switches to a lower stack. Coroutines that resume each other are nested
 * less deeply.
 */
enum { STACK_WALK_SWITCHES = 1 << 12 };

struct stack_walk {
	struct cairn_space *space;
	struct cairn_registers registers;
	enum cairn_frame_kind kind; /* PC or RETURN */
	uint64_t level;
	/* Method that found this frame; NONE if it is the thread's registers. */
	enum cairn_unwind_method found;
	bool guessed;                  /* nothing proves this frame */
	bool guesses;                  /* nothing proves this frame or an earlier one */
	struct cairn_step step;        /* step to the caller, or the stop reason */
	enum cairn_stack_end_kind end; /* NONE while more frames follow */
	uint64_t limit;
	/*
	 * Called if no table describes a frame, before guessing; may be NULL. Returns true if it
	 * has added tables of the module at `pc` to the space (space_give_debug_frame); the step is
	 * then repeated.
	 */
	bool (*want_tables)(void *context, uint64_t pc);
	void *context;
	bool may_scan;               /* search the stack for a return address if all else fails */
	struct cairn_registers seen; /* an earlier frame, to detect cycles */
	unsigned switches;           /* number of callers that were on a lower stack */
	bool astray;                 /* the caller is not in code: it is shown as the last frame */
};

/* Return a phrase, or a name for scripts. For UNKNOWN, the step's stop has the reason. */
const char *stack_end_text(enum cairn_stack_end_kind end);
const char *stack_end_name(enum cairn_stack_end_kind end);

/*
 * Start at the innermost frame. The caller sets space, limit (0: STACK_WALK_MAX), want_tables,
 * context and may_scan; everything else is set here. Return false if the registers cannot be used;
 * walk->end is then NO_CONTEXT.
 */
bool stack_walk_begin(struct stack_walk *walk, const struct cairn_registers *registers);

/* Step to the caller. Return false if this was the last frame; walk->end has the reason. */
bool stack_walk_next(struct stack_walk *walk);

/* Return the address by which to look up symbols. */
uint64_t stack_walk_lookup_address(const struct stack_walk *walk);

#endif
