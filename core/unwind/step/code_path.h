/* SPDX-License-Identifier: MIT */
/* Finds callers by following amd64 code along a path, for functions without unwind information. */
#ifndef CAIRN_UNWIND_STEP_CODE_PATH_H
#define CAIRN_UNWIND_STEP_CODE_PATH_H

#include "step.h"

#include "isa/amd64.h"

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

enum {
	RETURN_PATH_STEPS = 4096,
	/* pending branches: those whose other direction is still to be followed */
	RETURN_PATH_WAYS = 64,
	RETURN_PATH_SEEN = 256, /* jump targets remembered to end loops */
	RETURN_EDGE_STEPS = 16,
};

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
 * Follows amd64 code along a path, for functions without unwind information. The stack pointer is
 * tracked as a number. For callee-saved registers, the location of the value that they had at the
 * start of the path is tracked.
 */

enum {
	CODE_PATH_WORD = 8,
	CODE_PATH_ALIGNMENT = 16,
	CODE_PATH_WINDOW = 256,
};

struct way {
	uint64_t pc, sp, fp;
	bool sp_known, fp_known;
	struct place place[AMD64_REGISTERS];
	struct stack_writes writes;
};

struct path {
	const struct unwind_context *u;
	uint64_t low; /* stack pointer of the frame; memory below it is not yet written */
	struct way now, ways[RETURN_PATH_WAYS];
	unsigned count, steps;
	uint64_t seen[RETURN_PATH_SEEN];
	unsigned seen_count;
	uint8_t code[CODE_PATH_WINDOW];
	uint64_t code_at;
	size_t code_size;
};

/*
 * Return the path buffer of the space, which owns it. Return NULL if memory is short or the stack
 * pointer is unknown.
 */
struct path *code_path_open(const struct unwind_context *u);

/* Begin at `pc` with the given stack pointer and the frame's registers. */
void code_path_start(struct path *p, const struct unwind_context *u, uint64_t pc, uint64_t sp);

bool code_path_decode(struct path *p, struct amd64_instruction *is);

/*
 * Follow the instruction. Return false if the path ends, or if the stack is misaligned at a call.
 */
bool code_path_pass(struct path *p, const struct amd64_instruction *is);

/*
 * Continue with the other direction of the most recent branch for which it is pending. Return false
 * if no branch is left.
 */
bool code_path_next_way(struct path *p);

/* Return the contents of a stack slot: a value stored by the path, or the slot itself. */
struct place code_path_slot(const struct path *p, uint64_t at);

/*
 * Finds the caller of an amd64 function by following its code from the entry to the pc. This
 * handles functions without a path to a return because they end in calls that do not return.
 */

enum {
	ENTRY_PATH_STACK = 4096,
	ENTRY_PATH_CODE = 1 << 16,
	ENTRY_PATH_STEPS = 1 << 15, /* instructions followed from all candidate entries together */
};

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

/*
 * Set the caller's pc and stack pointer if the lowest return address on the stack leads to a first
 * frame: to code that ends its thread, to the program's entry point, or to a signal trampoline.
 */
bool first_frame_follow(const struct unwind_context *u, struct cairn_registers *caller,
                        uint64_t *cfa);

#endif
