/* SPDX-License-Identifier: MIT */
/*
 * Presents a program's file as if it were loaded at its link-time address, so that code written for
 * reading processes can read the file. Also determines where the program's functions save
 * registers.
 */
#ifndef CAIRN_WRITERS_FRAMES_PROGRAM_CODE_H
#define CAIRN_WRITERS_FRAMES_PROGRAM_CODE_H

#include "formats/elf/elf.h"
#include "unwind/step/function_code.h"
#include "unwind/tables/modules.h"
#include "unwind/tables/sframe_rules.h"

struct program_image {
	struct elf elf;
	struct cairn_space *space;
	struct module *module;
};

/*
 * Open a file. Returns NOT_FOUND if it contains no code. `image` must not be moved until it is
 * closed.
 */
enum cairn_status program_image_open(struct cairn_bytes file, struct program_image *image);
void program_image_close(struct program_image *image);

/* Return the number of consecutive code bytes in the file, starting at `va`. */
uint64_t program_image_code_size(const struct program_image *image, uint64_t va);

/* Return true if the program has call frame information but no section named .eh_frame. */
bool eh_frames_are_hidden(struct program_image *image);

/* DWARF numbers of the registers in struct flow_fact, in the order of its array. */
extern const uint8_t saved_register_numbers[FLOW_SAVED_REGISTERS];

/*
 * Flow facts about one function. The array `function` has the same order as the functions that
 * rules_list_functions() lists. If `facts` is 0, nothing is known about the function.
 */
struct saved_function {
	size_t first;
	uint32_t facts;
	/*
	 * functions that share this code reach it with different facts, so nothing is known about
	 * it
	 */
	bool disputed;
};

struct saved_registers {
	struct saved_function *function;
	struct flow_fact *fact;
	size_t facts, capacity;
	uint64_t steps;
	struct function_code_work work;
};

/*
 * Run the data flow analysis (unwind/step/flow.h) once on each function. Call this after
 * rules_list_functions(). `poll` is called before each function and may throw an exception. Returns
 * NULL if allocation fails.
 */
struct saved_registers *saved_registers_new(struct program_image *image, void (*poll)(void *),
                                            void *poll_context);
void saved_registers_free(struct saved_registers *saved);

/*
 * Return the flow fact that is valid at `offset` in a function, or NULL if nothing is known there.
 * Sets *until to the offset of the next fact, or to UINT64_MAX.
 */
const struct flow_fact *saved_registers_find(const struct saved_registers *saved, size_t function,
                                             uint64_t offset, uint64_t *until);

#endif
