/* SPDX-License-Identifier: MIT */
/* Finds callers by following amd64 code along a path, for functions without unwind information. */
#ifndef CAIRN_UNWIND_STEP_CODE_PATH_H
#define CAIRN_UNWIND_STEP_CODE_PATH_H

#include "step.h"

#include <stdint.h>

/*
 * Records the stack writes of a path. A slot that the path has written no longer holds what the
 * function keeps there, and target memory does not show the new value yet.
 *
 * The list is short. When it is full, areas are merged along with the gap between them, so slots
 * may become unknown without having been written, but never the reverse.
 */

enum {
	/*
	 * maximum number of recorded writes: pushes, stores of registers, and areas of locals;
	 * functions compiled without optimization have about ten
	 */
	STACK_WRITES = 32,
	STACK_SLOT = 8 /* size of a slot in bytes */
};

/* Location of the value that a register must have at the return. */
struct place {
	enum place_kind { PLACE_LOST, PLACE_REGISTER, PLACE_STACK } kind;
	uint64_t at; /* register number or address */
};

/* Zeroed, this is a path without writes. */
struct stack_writes {
	struct stack_write {
		uint64_t at, size;  /* size in bytes; a full slot if `place` is known */
		struct place place; /* location of the value now stored there */
	} write[STACK_WRITES];
	unsigned count;
};

/* Record a write of `size` bytes at `at`. A known `place` requires a full slot. */
void stack_writes_add(struct stack_writes *writes, uint64_t at, uint64_t size, struct place place);

/*
 * Return the location of the value in the slot at `at`: where the path took it from, or PLACE_STACK
 * if the path has not written the slot.
 */
struct place stack_writes_find(const struct stack_writes *writes, uint64_t at);

/*
 * Finds the caller of an amd64 function by following its code from the pc to a return. Nothing else
 * has to be known about the function, not even its start.
 */

/*
 * Find the caller of an innermost frame that is about to set up its frame pointer or to return, as
 * the next instructions show without a call or jump. Stack alignment is not checked because
 * runtimes need not maintain it.
 */
bool return_edge_follow(const struct unwind_context *u, struct cairn_registers *caller,
                        uint64_t *cfa);

/* Return true if the frame is at an instruction without successor, such as ud2 or hlt. */
bool return_path_is_cut_off(const struct unwind_context *u);

/*
 * Set *caller to the caller's pc, stack pointer and callee-saved registers, and *cfa to its stack
 * pointer. Return false unless some path leads to a return where the stack is aligned as calls
 * leave it and the address follows a call.
 */
bool return_path_follow(const struct unwind_context *u, struct cairn_registers *caller,
                        uint64_t *cfa);

/*
 * Finds the caller of an amd64 function by following its code from the entry to the pc. This
 * handles functions without a path to a return because they end in calls that do not return.
 */

/*
 * Set the caller's pc and stack pointer. The return address is the lowest word on the stack that
 * follows a call (direct, or through the PLT or GOT of any module) such that the code from the
 * call's target leads to the frame's pc with the frame's stack pointer. Callee-saved registers are
 * known if the path leaves them alone or saves them on the stack. Return false if no word
 * qualifies.
 */
bool entry_path_follow(const struct unwind_context *u, struct cairn_registers *caller,
                       uint64_t *cfa);

/*
 * Recognizes the first frame of an amd64 stack that no table identifies. A C library without tables
 * (musl) starts programs and threads in functions that end in calls that do not return, so no path
 * in their code leads to a caller.
 */

enum {
	FIRST_FRAME_WORDS = 64,
};

/*
 * Return true if the code after the call ends the thread, so the frame is the first of its stack.
 */
bool first_frame_ends_thread(const struct unwind_context *u);

/*
 * Return true if the innermost frame's thread is new: it is at the return from clone with result 0,
 * and no return address is on its stack.
 */
bool first_frame_is_new_thread(const struct unwind_context *u);

#endif
