/* SPDX-License-Identifier: MIT */
/*
 * An ELF object in memory with symbols, call frame information, DIEs and line tables for functions.
 * GDB and LLDB read it. An object has spare capacity and grows in place. The store that makes a new
 * entry valid always comes last, so a debugger can read the object between any two instructions.
 *
 * An object has one section for each run of adjacent functions. Therefore objects never overlap,
 * even if their functions alternate in memory, and no object claims memory that is not the
 * program's JIT code.
 */
#ifndef CAIRN_JIT_PRODUCER_OBJECT_H
#define CAIRN_JIT_PRODUCER_OBJECT_H

#include "jit_producer/memory.h"

/*
 * An entry in the list that GDB's JIT interface defines. cairn_jit_object_swap() stores the last
 * two fields with one instruction, so that a debugger never reads an old value of one and a new
 * value of the other.
 */
struct cairn_jit_entry {
	struct cairn_jit_entry *next, *previous;
	const void *object;
	uint64_t size;
};

enum cairn_jit_part {
	PART_NAMES,
	PART_SYMBOLS,
	PART_FRAMES,
	PART_DIES,
	PART_LINES,
	PART_FILES, /* file names in the header of the line program */
	PART_RUNS,
	PART_COUNT,
};

struct cairn_jit_slot {
	/* NULL if the function has been removed and is no longer needed */
	struct cairn_jit_code *code;
	uint32_t run;
	uint32_t frame;      /* offset of the function's FDE in .debug_frame; 0 without an FDE */
	uint32_t lines;      /* offset of the function's sequence in .debug_line */
	uint32_t lines_size; /* size of the sequence in bytes; 0 without lines */
	uint32_t file;       /* offset of the file name in PART_FILES; UINT32_MAX without a file */
};

struct cairn_jit_body {
	uint8_t *elf;
	uint64_t size;
	/* offset, capacity and size of each part in bytes */
	uint32_t begin[PART_COUNT], capacity[PART_COUNT], used[PART_COUNT];
	struct cairn_jit_slot *slot;
	uint32_t *run_live;
	uint32_t count, slots, live, files, runs_capacity;
};

struct cairn_jit_object {
	struct cairn_jit_entry entry;
	struct cairn_jit_body body;

	struct cairn_jit_object *waiting;
	uint64_t batch;
	bool listed;
};

struct cairn_jit_code {
	uint64_t start;
	uint32_t size;
	uint32_t slot;
	struct cairn_jit_object *object;
	struct cairn_jit_table *table; /* unwinder table with the function's frame; may be NULL */
	uint32_t entry;
	bool held; /* the program has a handle for this function */
	bool indexed;
	bool gone; /* the function has been removed, but debuggers may have copies */
	bool framed;
	/* copy of the FDE's CFA instructions, for signal handlers */
	uint32_t frame_size;
	uint8_t frame[];
};

struct cairn_jit_need {
	uint32_t bytes[PART_COUNT];
	uint32_t slots;
};

/*
 * Add a function's maximum space to *need. If the function starts a new run, also call
 * cairn_jit_need_run().
 */
CAIRN_JIT_INTERNAL void cairn_jit_need_add(struct cairn_jit_need *need,
                                           const struct cairn_jit_facts *facts);

CAIRN_JIT_INTERNAL void cairn_jit_need_run(struct cairn_jit_need *need);

CAIRN_JIT_INTERNAL struct cairn_jit_object *cairn_jit_object_new(const struct cairn_jit_need *need);

CAIRN_JIT_INTERNAL void cairn_jit_object_free(struct cairn_jit_object *object);

CAIRN_JIT_INTERNAL bool cairn_jit_object_fits(const struct cairn_jit_object *object,
                                              const struct cairn_jit_need *need);

/* run number that makes cairn_jit_object_append() start a new run */
#define RUN_NEW UINT32_MAX

/* Append a function and store its slot in `code`. The object must have space for it. */
CAIRN_JIT_INTERNAL void cairn_jit_object_append(struct cairn_jit_object *object,
                                                const struct cairn_jit_facts *facts, uint32_t run,
                                                struct cairn_jit_code *code);

/*
 * Remove a function, so that debuggers that read the object later do not see it. Its slot, space
 * and handle remain.
 */
CAIRN_JIT_INTERNAL void cairn_jit_object_remove(struct cairn_jit_object *object, uint32_t slot);

/*
 * Decode the function in a slot. The pointers in *facts refer to the object's memory, and are valid
 * until the object is freed or its contents are swapped.
 */
CAIRN_JIT_INTERNAL void cairn_jit_object_facts(const struct cairn_jit_object *object, uint32_t slot,
                                               struct cairn_jit_facts *facts);

/* Return true if [start, end) intersects the run, which may have gaps between its functions. */
CAIRN_JIT_INTERNAL bool cairn_jit_object_run_meets(const struct cairn_jit_object *object,
                                                   uint32_t run, uint64_t start, uint64_t end);

CAIRN_JIT_INTERNAL uint64_t cairn_jit_object_run_start(const struct cairn_jit_object *object,
                                                       uint32_t run);

/*
 * Atomically, as seen by debuggers, replace the contents of the object with the contents of
 * `fresh`. Free `fresh`.
 */
CAIRN_JIT_INTERNAL void cairn_jit_object_swap(struct cairn_jit_object *object,
                                              struct cairn_jit_object *fresh);

#endif
