/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: walks the stacks of a program's threads, and names their frames.
 *
 *	struct cairn_stacks *stacks;
 *	if (cairn_stacks_open_file("core", &stacks, NULL) == CAIRN_OK) {
 *		bool more = cairn_stacks_begin(stacks, 0);
 *		for (; more; more = cairn_stacks_next(stacks))
 *			puts(cairn_stacks_function(stacks));
 *		cairn_stacks_close(stacks);
 *	}
 */
#ifndef CAIRN_INCLUDE_STACKS_H
#define CAIRN_INCLUDE_STACKS_H

#include <cairn/base.h>
#include <cairn/location.h>
#include <cairn/rules.h>
#include <cairn/stack_source.h>
#include <cairn/unwind.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_thread {
	size_t size;
	uint64_t tid;
	/* name of the thread, which lives as long as the stacks; empty if unknown */
	struct cairn_bytes name;
	bool crashed;    /* the program crashed in this thread; true for at most one thread */
	bool stack_cut;  /* only a part of the thread's stack is available */
	uint32_t signal; /* signal that has stopped the thread, or 0 */
	/*
	 * time for which the thread was stopped to copy its stack; 0 if unknown or if the source is
	 * not a process
	 */
	uint64_t stop_nanoseconds;
	/* registers.machine is NONE if the registers are unknown */
	struct cairn_registers registers;
};

/* Return the number of threads. In a core, the crashed thread comes first. */
CAIRN_API size_t cairn_stacks_threads(const struct cairn_stacks *stacks);

/*
 * Describe the thread with the index `number` in *thread. Returns false if there is no such thread.
 */
CAIRN_API bool cairn_stacks_thread(const struct cairn_stacks *stacks, size_t number,
                                   struct cairn_thread *thread);

/*
 * A frame. Inlined calls have no frames of their own; they are additional names for the frame into
 * which they are inlined.
 */
struct cairn_stack_frame {
	size_t size;
	uint64_t level; /* 0 for the innermost frame */
	uint64_t pc;
	/* pc for looking up names, which is inside the call if `pc` is a return address */
	uint64_t lookup;
	uint64_t cfa; /* 0 if unknown */
	/* method by which this frame was found; NONE if it comes from the registers */
	enum cairn_unwind_method found;
	/* method by which the frame's caller was found; NONE if no caller was found */
	enum cairn_unwind_method by;
	bool signal; /* the frame is a signal trampoline, to which a signal handler returns */
	/* nothing proves that this frame is the caller of the previous one */
	bool guessed;
	/* path of the module that contains `pc`; data is NULL if no module contains it */
	struct cairn_bytes module;
	struct cairn_bytes build_id; /* build ID of the module that contains `pc`; may be empty */
	uint64_t module_offset;      /* offset of `pc` from the module's first byte in memory */
	bool has_va;
	uint64_t va; /* link-time address of `pc`; valid if has_va */
	/*
	 * Number of the handled signal if `signal` is set. It is known on aarch64, and on amd64 if
	 * the handler uses SA_SIGINFO; otherwise 0.
	 */
	uint32_t handled;
	/*
	 * The frame belongs to a suspended Swift async function. It is not on the stack: its data
	 * is on the heap, and `pc` is the address at which the function resumes when its callee
	 * returns. In a thread's walk, such frames follow the innermost async function's frame and
	 * are its callers. `cfa`, `found` and `by` are 0.
	 */
	bool async;
};

/*
 * Begin to walk a thread's stack at its innermost frame; `number` is the thread's index. Returns
 * false if the thread's registers are unknown. Only one walk exists at a time, so this ends the
 * previous walk.
 */
CAIRN_API bool cairn_stacks_begin(struct cairn_stacks *stacks, size_t number);

/*
 * Move to the caller's frame. Returns false at the end of the stack, and after at most 2^20 frames.
 * The total over all stacks is limited to 2^18 frames plus one per 16 bytes of input, but at most
 * 2^21.
 */
CAIRN_API bool cairn_stacks_next(struct cairn_stacks *stacks);

/*
 * Describe the current frame in *frame; its strings live as long as the stacks. Call this only
 * after cairn_stacks_begin() or cairn_stacks_next() has returned true.
 */
CAIRN_API void cairn_stacks_frame(struct cairn_stacks *stacks, struct cairn_stack_frame *frame);

/*
 * Return the rule that leads from the current frame to its caller, valid until cairn_stacks_next().
 * The rule is empty if no unwind table contains one.
 */
CAIRN_API const struct cairn_rule *cairn_stacks_rule(const struct cairn_stacks *stacks);

/* reasons why a stack ended */
enum cairn_stack_end_kind {
	CAIRN_STACK_GOES_ON,
	CAIRN_STACK_OUTERMOST,  /* the last frame is the outermost frame */
	CAIRN_STACK_UNKNOWN,    /* no caller has been found */
	CAIRN_STACK_LIMIT,      /* the maximum number of frames has been reached */
	CAIRN_STACK_CIRCLE,     /* a frame has occurred twice */
	CAIRN_STACK_NO_CONTEXT, /* the registers are unknown or belong to another machine */
};

struct cairn_stack_end {
	size_t size;
	enum cairn_stack_end_kind kind;
	/* a frame has been guessed, so frames between it and the previous frame may be missing */
	bool guesses;
	bool complete; /* the kind is OUTERMOST and no frame has been guessed */
	/* stable identifier for machine-readable output; a constant, like the next two strings */
	const char *name;
	const char *why;     /* English phrase in lower case that describes why the stack ended */
	const char *missing; /* data whose absence may have ended the stack; NULL if unknown */
	struct cairn_fault fault; /* damage in the unwind table if `name` is "bad-table" */
};

/*
 * Describe in *end why the stack ended. Call this after cairn_stacks_next() or cairn_stacks_begin()
 * has returned false.
 */
CAIRN_API void cairn_stacks_end(struct cairn_stacks *stacks, struct cairn_stack_end *end);

/*
 * Write a signature of the crash, 64 hexadecimal digits and a NUL. It is computed without symbols
 * and is equal for equal crashes of one build (docs/fleet.md). This walks the thread's innermost
 * frames, which ends the previous walk. Returns false and an empty string if the thread has neither
 * crashed nor is handling a signal that would terminate the program, if no frame is in a module, if
 * the limit for frames ends the stack too early, or if allocation fails.
 */
enum { CAIRN_ADDRESS_SIGNATURE = 65 };
CAIRN_API bool cairn_stacks_address_signature(struct cairn_stacks *stacks, size_t number,
                                              char text[CAIRN_ADDRESS_SIGNATURE]);

/* Maximum number of calls inlined into each other at one pc; deeper calls are dropped. */
enum { CAIRN_STACK_NAMES = 64 };

/*
 * Look up the names at a pc: the innermost inlined call first, and the function last. Returns the
 * number of filled locations, at most `capacity`, or 0 if no source covers the pc. Sources are
 * queried in the order of their ranks (cairn/symbolizer.h): a symbolizer's built-in sources and the
 * sources in the options; for a minidump also a Breakpad file at DIR/NAME/ID/NAME.sym (rank 110);
 * for a Go program its function table (rank 300); and for JIT code the program's jitdump and perf
 * map. Strings live as long as the stacks.
 */
CAIRN_API size_t cairn_stacks_names(struct cairn_stacks *stacks, uint64_t pc,
                                    struct cairn_location *locations, size_t capacity);

/*
 * Look up the names at `count` pcs, in any order, for later calls of cairn_stacks_names(). This
 * takes a fraction of the time of single lookups and has no other effect. Use it if the addresses
 * are known in advance.
 */
CAIRN_API void cairn_stacks_prepare_names(struct cairn_stacks *stacks, const uint64_t *pcs,
                                          size_t count);

/*
 * Return the demangled name of the current frame's innermost function, or "??" if it is unknown.
 * The name ends with a NUL, has a '?' for each character that could send commands to a terminal,
 * and lives until the next call.
 */
CAIRN_API const char *cairn_stacks_function(struct cairn_stacks *stacks);

/*
 * A thread's stack as an object, for hosts that hold several stacks at a time. It belongs to the
 * stacks from which it was copied, and must be freed before them.
 *
 *	struct cairn_stack_frame frame = CAIRN_SIZED(struct cairn_stack_frame);
 *	struct cairn_location names[CAIRN_STACK_NAMES];
 *	struct cairn_stack *stack;
 *	if (cairn_stack_copy(stacks, 0, 100, &stack) == CAIRN_OK) {
 *		for (size_t i = 0; cairn_stack_at(stack, i, &frame); i++)
 *			cairn_stacks_names(stacks, frame.lookup, names, CAIRN_STACK_NAMES);
 *		cairn_stack_free(stack);
 *	}
 */
struct cairn_stack;

/*
 * Walk the stack of the thread with the index `number`, which ends the previous walk, and copy at
 * most `frames` frames; 0 copies all. The caller frees *stack. Returns NOT_FOUND if the thread's
 * registers are unknown, and NO_MEMORY.
 */
CAIRN_MUST_USE CAIRN_API enum cairn_status cairn_stack_copy(struct cairn_stacks *stacks,
                                                            size_t number, size_t frames,
                                                            struct cairn_stack **stack);

/* Describe the frame with the index `index`. Returns false if the stack has fewer frames. */
CAIRN_API bool cairn_stack_at(const struct cairn_stack *stack, size_t index,
                              struct cairn_stack_frame *frame);

/* Describe why the stack ended. The kind is GOES_ON if the limit `frames` was reached. */
CAIRN_API void cairn_stack_ended(const struct cairn_stack *stack, struct cairn_stack_end *end);

/* Free the stack. NULL is allowed. */
CAIRN_API void cairn_stack_free(struct cairn_stack *stack);

#ifdef __cplusplus
}
#endif

#endif
