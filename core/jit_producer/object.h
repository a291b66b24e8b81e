/* SPDX-License-Identifier: MIT */
/*
 * An ELF object in memory with symbols, frames, DIEs and lines of functions, for GDB and LLDB. It
 * has spare capacity and grows in place. A debugger may read it between any two instructions,
 * because the store that makes a new piece valid always comes last.
 *
 * The code of an object is divided into runs of adjacent functions, each a section of its own. As a
 * result objects never overlap, although their functions may alternate, and no object claims memory
 * that is not the program's code.
 */
#ifndef CAIRN_JIT_PRODUCER_OBJECT_H
#define CAIRN_JIT_PRODUCER_OBJECT_H

#include "jit_producer/memory.h"

/*
 * An entry in the list that GDB's JIT interface defines. The last two fields are stored by one
 * instruction (cairn_jit_object_swap()), so that a debugger never reads an old value of one and a
 * new value of the other.
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
	PART_FILES, /* inside the header of the line program */
	PART_RUNS,
	PART_COUNT,
};

struct cairn_jit_slot {
	struct cairn_jit_code *code; /* NULL if removed and no longer needed */
	uint32_t run;
	uint32_t frame;      /* offset of the function's FDE in the part; 0 without an FDE */
	uint32_t lines;      /* offset of the line sequence in the part */
	uint32_t lines_size; /* size of the sequence in bytes; 0 without lines */
	uint32_t file;       /* offset of the file name in the part; UINT32_MAX without a file */
};

/* The contents of an object, which are exchanged when it is rebuilt. */
struct cairn_jit_body {
	uint8_t *elf;
	uint64_t size;
	uint32_t begin[PART_COUNT], room[PART_COUNT], used[PART_COUNT]; /* in bytes */
	struct cairn_jit_slot *slot;
	uint32_t *run_live;
	uint32_t count, slots, live, files, runs_room;
};

struct cairn_jit_object {
	struct cairn_jit_entry entry;
	struct cairn_jit_body body;

	/* Links that list.c uses. */
	struct cairn_jit_object *waiting; /* next object of an unfinished batch */
	uint64_t batch;
	bool listed; /* visible to debuggers */
};

struct cairn_jit_code {
	uint64_t start;
	uint32_t size;
	uint32_t slot;
	struct cairn_jit_object *object; /* may be NULL */
	struct cairn_jit_table *table;   /* unwinder table with the function's frame; may be NULL */
	uint32_t entry;
	bool held; /* the program has a handle */
	bool indexed;
	bool gone; /* removed, but debuggers have copies */
};

struct cairn_jit_need {
	uint32_t bytes[PART_COUNT];
	uint32_t slots;
};

/* Add the maximum space for a function, without a run. */
CAIRN_JIT_INTERNAL void cairn_jit_need_add(struct cairn_jit_need *need,
                                           const struct cairn_jit_facts *facts);

CAIRN_JIT_INTERNAL void cairn_jit_need_run(struct cairn_jit_need *need);

/*
 * Create an object without functions and with the given capacity. Returns NULL if memory is short.
 */
CAIRN_JIT_INTERNAL struct cairn_jit_object *cairn_jit_object_new(const struct cairn_jit_need *need);

CAIRN_JIT_INTERNAL void cairn_jit_object_free(struct cairn_jit_object *object);

CAIRN_JIT_INTERNAL bool cairn_jit_object_fits(const struct cairn_jit_object *object,
                                              const struct cairn_jit_need *need);

/*
 * Run number that makes cairn_jit_object_append() start a new run. Otherwise the function extends
 * an existing run.
 */
#define RUN_NEW UINT32_MAX

/* Append a function, for which there must be space, and store its slot in `code`. */
CAIRN_JIT_INTERNAL void cairn_jit_object_append(struct cairn_jit_object *object,
                                                const struct cairn_jit_facts *facts, uint32_t run,
                                                struct cairn_jit_code *code);

/*
 * Remove a function, as seen by debuggers that read the object later. Its slot, space and handle
 * stay.
 */
CAIRN_JIT_INTERNAL void cairn_jit_object_remove(struct cairn_jit_object *object, uint32_t slot);

/* Return the function of a slot; the facts are borrowed from the object. */
CAIRN_JIT_INTERNAL void cairn_jit_object_facts(const struct cairn_jit_object *object, uint32_t slot,
                                               struct cairn_jit_facts *facts);

/* Return true if [start, end) intersects the run, which may have gaps between its functions. */
CAIRN_JIT_INTERNAL bool cairn_jit_object_run_meets(const struct cairn_jit_object *object,
                                                   uint32_t run, uint64_t start, uint64_t end);

CAIRN_JIT_INTERNAL uint64_t cairn_jit_object_run_start(const struct cairn_jit_object *object,
                                                       uint32_t run);

/*
 * Replace the contents of the object with the contents of `fresh` atomically for debuggers, and
 * free `fresh`.
 */
CAIRN_JIT_INTERNAL void cairn_jit_object_swap(struct cairn_jit_object *object,
                                              struct cairn_jit_object *fresh);

#endif
