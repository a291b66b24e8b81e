/* SPDX-License-Identifier: MIT */
/*
 * Where each function of a program keeps the registers that calls preserve, as far as its code
 * proves it (amd64): all functions are followed once, see unwind/flow/flow.h.
 */
#ifndef CAIRN_WRITERS_FRAMES_SAVED_REGISTERS_H
#define CAIRN_WRITERS_FRAMES_SAVED_REGISTERS_H

#include "program_image.h"

#include "unwind/callee_saved/function_code.h"
#include "unwind/sframe/rules.h"

/* DWARF numbers, in the order of struct flow_fact. */
extern const uint8_t saved_register_numbers[FLOW_SAVED_REGISTERS];

/* Belongs to the function with the same number in the rules' list.  No facts: nothing is known. */
struct saved_function {
	size_t first;
	uint32_t facts;
	bool disputed; /* two functions share this code and come to it with different frames */
};

struct saved_registers {
	struct saved_function *function;
	struct flow_fact *fact;
	size_t facts, room;
	uint64_t steps; /* that are left for the data flow */
	struct function_code_work work;
};

/*
 * The rules must have their list of functions.  `poll` is called before each function, and may leave
 * by an exception.  NULL when memory is short.
 */
struct saved_registers *saved_registers_new(struct program_image *image, void (*poll)(void *),
                                            void *poll_context);
void saved_registers_free(struct saved_registers *saved);

/* From the one in force at `offset` of the function on; NULL: nothing is known there. */
const struct flow_fact *saved_registers_find(const struct saved_registers *saved, size_t function,
                                             uint64_t offset, uint64_t *until);

#endif
