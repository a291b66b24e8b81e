/* SPDX-License-Identifier: MIT */
/*
 * Walks the stack of one thread, frame by frame, from its registers outwards until the outermost
 * frame is reached or a caller cannot be found.
 *
 *	struct stack_walk walk = { .space = space, .limit = limit };
 *	if (stack_walk_begin(&walk, &thread->registers))
 *		do
 *			... walk.registers, walk.kind, walk.step
 *		while (stack_walk_next(&walk));
 *	... walk.end
 *
 * A walk always terminates: at the maximum number of frames, when frames repeat in a cycle, or
 * after too many switches between stacks.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_STACK_WALK_H
#define CAIRN_PROCESS_SNAPSHOT_STACK_WALK_H

#include <cairn.h>

/* Default limit for the number of frames in one stack: 8 MiB of one-word frames. */
#define STACK_WALK_MAX ((uint64_t)1 << 20)

/*
 * Maximum number of switches to a lower stack. Coroutines that resume each other are nested less
 * deeply.
 */
enum { STACK_WALK_SWITCHES = 1 << 12 };

struct stack_walk {
	struct cairn_space *space;
	struct cairn_registers registers;
	enum cairn_frame_kind kind;
	uint64_t level;
	/* Method that found this frame; NONE for a thread's innermost frame. */
	enum cairn_unwind_method found;
	bool guessed;           /* this frame is unproven */
	bool guesses;           /* this frame or an earlier one is unproven */
	struct cairn_step step; /* step to the caller, or the reason why the stack ends */
	enum cairn_stack_end_kind end;
	uint64_t limit;
	/*
	 * Called if no table describes a frame, before the walk guesses the caller; may be NULL.
	 * Returns true if it added tables for the module at `pc` to the space
	 * (space_give_debug_frame()); the step is then repeated.
	 */
	bool (*want_tables)(void *context, uint64_t pc);
	void *context;
	/* if every other method fails, search the stack for a return address */
	bool may_scan;
	struct cairn_registers seen; /* earlier frame, compared to detect cycles */
	unsigned switches;
	bool astray; /* the caller is not in code and becomes the last frame */
};

/*
 * Describe why a stack ended: an English phrase, or a stable identifier for machine-readable
 * output. For UNKNOWN, the reason is in the step's `stop`.
 */
const char *stack_end_text(enum cairn_stack_end_kind end);
const char *stack_end_name(enum cairn_stack_end_kind end);

/*
 * Start at the innermost frame. The caller sets space, limit (0 selects STACK_WALK_MAX),
 * want_tables, context and may_scan; this function sets all other fields. Return false and set
 * walk->end to NO_CONTEXT if the registers cannot be used.
 */
bool stack_walk_begin(struct stack_walk *walk, const struct cairn_registers *registers);

/* Step to the caller. Return false and set walk->end if this frame was the last one. */
bool stack_walk_next(struct stack_walk *walk);

/* Return an address inside the call, or the exact pc, for symbol lookups. */
uint64_t stack_walk_lookup_address(const struct stack_walk *walk);

#endif
