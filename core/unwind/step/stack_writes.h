/* SPDX-License-Identifier: MIT */
/*
 * Records the stack writes of a path. A slot that the path has written no longer holds what the
 * function keeps there, and target memory does not show the new value yet.
 *
 * The list is short. When it is full, areas are merged along with the gap between them, so slots
 * may become unknown without having been written, but never the reverse.
 */
#ifndef CAIRN_UNWIND_STEP_STACK_WRITES_H
#define CAIRN_UNWIND_STEP_STACK_WRITES_H

#include <stdint.h>

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

#endif
