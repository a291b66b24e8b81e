/* SPDX-License-Identifier: MIT */
/*
 * Finds callers of amd64 functions without unwind information by following paths through their
 * code.
 */
#ifndef CAIRN_UNWIND_STEP_CODE_PATH_H
#define CAIRN_UNWIND_STEP_CODE_PATH_H

#include "step.h"

#include <stdint.h>

/*
 * Records the stack writes of a path. If the path has written a slot, target memory does not show
 * the slot's value at that point of the path. The list of writes is short. When it is full,
 * neighboring areas are merged including the gap between them, so an unwritten slot may become
 * unknown, but a written slot never counts as unwritten.
 */

enum {
	/*
	 * maximum number of recorded writes: pushes, register stores, and areas of locals;
	 * functions compiled without optimization need about ten
	 */
	STACK_WRITES = 32,
	STACK_SLOT = 8
};

/* Location, at the start of the path, of the value that a register must have at the return. */
struct place {
	enum place_kind { PLACE_LOST, PLACE_REGISTER, PLACE_STACK } kind;
	uint64_t at; /* register number, or stack address */
};

struct stack_writes {
	struct stack_write {
		uint64_t at, size;  /* range of bytes; exactly one slot if `place` is known */
		struct place place; /* original location of the value that the slot contains now */
	} write[STACK_WRITES];
	unsigned count;
};

/*
 * Record a write of `size` bytes at `at`. If `place`, the original location of the written value,
 * is known, the write must cover exactly one slot.
 */
void stack_writes_add(struct stack_writes *writes, uint64_t at, uint64_t size, struct place place);

/*
 * Return the original location of the value in the slot at `at`, or PLACE_STACK if the path has not
 * written the slot.
 */
struct place stack_writes_find(const struct stack_writes *writes, uint64_t at);

/*
 * Finds the caller of an amd64 function by following its code from the pc to a return. Works
 * without knowing where the function starts or what its frame looks like.
 */

/*
 * Find the caller of an innermost frame whose next instructions, without a call or jump, set up the
 * frame pointer or return. Does not check the stack alignment, because JIT runtimes need not
 * maintain it.
 */
bool return_edge_follow(const struct unwind_context *u, struct cairn_registers *caller,
                        uint64_t *cfa);

/* Return true if the frame is at an instruction without a successor, such as ud2 or hlt. */
bool return_path_is_cut_off(const struct unwind_context *u);

/*
 * Set *caller to the caller's pc, stack pointer and callee-saved registers, and *cfa to the
 * caller's stack pointer. Return false unless some path leads to a return where the stack has the
 * alignment that calls require and the return address follows a call.
 */
bool return_path_follow(const struct unwind_context *u, struct cairn_registers *caller,
                        uint64_t *cfa);

/*
 * Finds the caller of an amd64 function by following its code from the entry to the pc. Handles
 * functions in which no path leads to a return because they end in noreturn calls.
 */

/*
 * Set the caller's pc and stack pointer. The return address is the lowest word on the stack that
 * follows a call (direct, or through the PLT or GOT of a module) such that the code from the call's
 * target leads to the frame's pc with the frame's stack pointer. Callee-saved registers are known
 * if the path does not change them or saves them on the stack. Return false if no word qualifies.
 */
bool entry_path_follow(const struct unwind_context *u, struct cairn_registers *caller,
                       uint64_t *cfa);

/*
 * Recognizes the outermost frame of an amd64 stack if no unwind table marks it. A C library built
 * without unwind tables (musl) starts programs and threads in functions that end in noreturn calls,
 * so no path through their code leads to a caller.
 */

enum {
	FIRST_FRAME_WORDS = 64,
};

/*
 * Return true if the code after the frame's call ends the thread, which makes the frame the
 * outermost one.
 */
bool first_frame_ends_thread(const struct unwind_context *u);

/*
 * Return true for a new thread: its pc is at the return from clone() with the result 0, and its
 * stack contains no return address.
 */
bool first_frame_is_new_thread(const struct unwind_context *u);

#endif
