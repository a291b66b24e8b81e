/* SPDX-License-Identifier: MIT */
/*
 * Code of amd64 that is followed along a path, for functions of which nothing is known.  The stack pointer
 * is a number all the way; of a register that a call leaves as it was it is known where its value from the
 * path's beginning is.
 */
#ifndef CAIRN_UNWIND_PATHS_CODE_PATH_H
#define CAIRN_UNWIND_PATHS_CODE_PATH_H

#include "return_path.h"
#include "stack_writes.h"

#include "isa/amd64.h"

enum {
	CODE_PATH_WORD = 8,
	CODE_PATH_ALIGNMENT = 16, /* of the stack, where something is called */
	CODE_PATH_WINDOW = 256,
};

/* The machine as it is on the path. */
struct way {
	uint64_t pc, sp, fp;
	bool sp_known, fp_known;
	struct place place[AMD64_REGISTERS];
	struct stack_writes writes;
};

struct path {
	const struct unwind_context *u;
	uint64_t low; /* the stack pointer of the frame: nothing below it has been written */
	struct way now, ways[RETURN_PATH_WAYS];
	unsigned count, steps;
	uint64_t seen[RETURN_PATH_SEEN];
	unsigned seen_count;
	uint8_t code[CODE_PATH_WINDOW];
	uint64_t code_at;
	size_t code_size;
};

/* The path of the space, which keeps it; NULL when memory is short, or the stack pointer is not known. */
struct path *code_path_open(const struct unwind_context *u);

/* Begin at `pc` with this stack pointer and the frame's registers. */
void code_path_start(struct path *p, const struct unwind_context *u, uint64_t pc, uint64_t sp);

/* The instruction at the path's pc. */
bool code_path_decode(struct path *p, struct amd64_instruction *is);

/* Go past it; false where the line ends, or the stack is not what calls want. */
bool code_path_pass(struct path *p, const struct amd64_instruction *is);

/* Go on at the last branch whose other way was not followed; false when there is none. */
bool code_path_next_way(struct path *p);

/* What is in a slot: what the path put there, or what the function keeps there. */
struct place code_path_slot(const struct path *p, uint64_t at);

#endif
