/* SPDX-License-Identifier: MIT */
/*
 * What code on a path writes on the stack.  A slot that the path has written no longer holds what the
 * function keeps there, and memory does not show yet what it will hold.
 *
 * The list is short.  When it is full, areas become one with what is between them, so that slots
 * are unknown that were not written; never the other way.
 */
#ifndef CAIRN_UNWIND_PATHS_STACK_WRITES_H
#define CAIRN_UNWIND_PATHS_STACK_WRITES_H

#include <stdint.h>

/* Pushes and stores of registers, and areas of locals; functions without optimization have some ten. */
enum { STACK_WRITES = 32, STACK_SLOT = 8 };

/* Where the value is that a register has to have at the return. */
struct place {
	enum place_kind { PLACE_LOST, PLACE_REGISTER, PLACE_STACK } kind;
	uint64_t at; /* register, or address */
};

/* Zeroed, it is a path that has written nothing. */
struct stack_writes {
	struct stack_write {
		uint64_t at, size;  /* bytes; a slot when the place is known */
		struct place place; /* of what is there now */
	} write[STACK_WRITES];
	unsigned count;
};

/* `size` bytes at `at` are written, with a value that is a whole slot, or with PLACE_LOST. */
void stack_writes_add(struct stack_writes *writes, uint64_t at, uint64_t size, struct place place);

/* Where the value of the slot at `at` is: what the path has put there, or PLACE_STACK. */
struct place stack_writes_find(const struct stack_writes *writes, uint64_t at);

#endif
