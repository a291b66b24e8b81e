/* SPDX-License-Identifier: MIT */
/*
 * Follows amd64 code along a path, for functions without unwind information. The stack pointer is
 * tracked as a number. For callee-saved registers, the location of the value that they had at the
 * start of the path is tracked.
 */
#ifndef CAIRN_UNWIND_STEP_CODE_PATH_H
#define CAIRN_UNWIND_STEP_CODE_PATH_H

#include "return_path.h"
#include "stack_writes.h"

#include "isa/amd64.h"

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

#endif
