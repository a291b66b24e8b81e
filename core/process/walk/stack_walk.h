/* SPDX-License-Identifier: MIT */
/*
 * The stack of one thread, frame by frame, from its registers to the outermost frame or to the reason
 * why there is no further one.
 *
 *	struct stack_walk walk = { .space = space, .limit = limit };
 *	if (stack_walk_begin(&walk, &thread->registers))
 *		do
 *			... walk.registers, walk.kind, walk.step
 *		while (stack_walk_next(&walk));
 *	... walk.end
 *
 * It ends always: at a stated number of frames, where frames come again in a circle, and after so many changes of the stack.
 */
#ifndef CAIRN_PROCESS_WALK_STACK_WALK_H
#define CAIRN_PROCESS_WALK_STACK_WALK_H

#include <cairn.h>

/* Frames of one stack when nobody gives a limit: 8 MiB of frames of one word. */
#define STACK_WALK_MAX ((uint64_t)1 << 20)

/* How often a walk may come to a stack below the last one; coroutines that resume each other are nested less deeply. */
enum { STACK_WALK_SWITCHES = 1 << 12 };

struct stack_walk {
	struct cairn_space *space;
	struct cairn_registers registers; /* of this frame */
	enum cairn_frame_kind kind;       /* PC or RETURN */
	uint64_t level;
	enum cairn_unwind_method found; /* how; NONE: by the thread's registers */
	bool guessed;                   /* nothing proves this frame */
	bool guesses;                   /* nothing proves this frame, or one before it */
	struct cairn_step step;         /* from this frame to its caller, or why there is none */
	enum cairn_stack_end_kind end;  /* NONE while a further frame follows */
	uint64_t limit;
	/*
	 * Called where no table describes a frame, before anything is guessed; may be NULL. True: it has given
	 * the space more of the module at `pc` (space_give_debug_frame), and the step is tried again.
	 */
	bool (*want_tables)(void *context, uint64_t pc);
	void *context;
	bool may_scan; /* the stack may be searched for a return address, where nothing else leads on */
	struct cairn_registers seen; /* of an earlier frame, against circles */
	unsigned switches; /* how often the caller was on a stack below */
	bool astray; /* the caller is where no code is: it is shown, and is the last frame */
};

/* One phrase, and a name for scripts. For UNKNOWN the step's stop has the reason. */
const char *stack_end_text(enum cairn_stack_end_kind end);
const char *stack_end_name(enum cairn_stack_end_kind end);

/*
 * The innermost frame; false when the registers cannot be used: walk->end is NO_CONTEXT then. The caller has
 * set space, limit (0: STACK_WALK_MAX), want_tables, context and may_scan; all else is set here.
 */
bool stack_walk_begin(struct stack_walk *walk, const struct cairn_registers *registers);

/* Goes to the caller; false when this was the last frame: walk->end has the reason. */
bool stack_walk_next(struct stack_walk *walk);

/* The address to look symbols up with. */
uint64_t stack_walk_lookup_address(const struct stack_walk *walk);

#endif
