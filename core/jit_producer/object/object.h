/* SPDX-License-Identifier: MIT */
/*
 * An ELF object in memory with symbols, frames, DIEs and lines of functions, which GDB and LLDB read.  It has room, and grows in
 * place: a debugger may read it between any two instructions of the growth, because what makes a part count is stored last.
 *
 * The code of an object is divided into runs, each a section of its own: functions that lie side by side.  So objects
 * never overlap, although their functions alternate, and no object claims what is not the program's code.
 */
#ifndef CAIRN_JIT_PRODUCER_OBJECT_OBJECT_H
#define CAIRN_JIT_PRODUCER_OBJECT_OBJECT_H

#include "jit_producer/base/parts.h"

/*
 * An entry of the list of GDB's interface.  The last two are stored by one instruction (cairn_jit_object_swap()), so that a
 * debugger never reads one of them old and the other one new.
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
	PART_FILES, /* inside of the header of the lines */
	PART_RUNS,
	PART_COUNT,
};

struct cairn_jit_slot {
	struct cairn_jit_code
		*code; /* NULL: the function was removed, and nobody asks for it any more */
	uint32_t run;
	uint32_t frame;      /* offset of its FDE in the part; 0: none */
	uint32_t lines;      /* offset of its sequence in the part */
	uint32_t lines_size; /* bytes of the whole sequence; 0: none */
	uint32_t file;       /* offset of its file's name in the part; UINT32_MAX: none */
};

/* What an object consists of, and what another one takes over when the object is made anew. */
struct cairn_jit_body {
	uint8_t *elf;
	uint64_t size;
	uint32_t begin[PART_COUNT], room[PART_COUNT], used[PART_COUNT]; /* bytes */
	struct cairn_jit_slot *slot;
	uint32_t *run_live; /* functions of each run that are there */
	uint32_t count, slots, live, files, runs_room;
};

struct cairn_jit_object {
	struct cairn_jit_entry entry;
	struct cairn_jit_body body;

	/* The list of objects (listing.h) and their arrangement (arrange.h) keep this. */
	struct cairn_jit_object *waiting; /* the next one of those in unfinished batches */
	uint64_t batch;                   /* the number of its own */
	bool listed;                      /* debuggers find it */
};

/* A registered function. */
struct cairn_jit_code {
	uint64_t start;
	uint32_t size;
	uint32_t slot;
	struct cairn_jit_object *object; /* NULL: in none */
	struct cairn_jit_table
		*table; /* the process's unwinder has its frame in this one; NULL: in none */
	uint32_t entry; /* which one of the table */
	bool held;      /* the program has its handle */
	bool indexed;   /* index.h has it */
	bool gone;      /* it was removed, but debuggers have a copy of it */
};

/* How much room an object needs for functions. */
struct cairn_jit_need {
	uint32_t bytes[PART_COUNT];
	uint32_t slots;
};

/* Adds what one function needs at most, without a run. */
CAIRN_JIT_INTERNAL void cairn_jit_need_add(struct cairn_jit_need *need,
                                           const struct cairn_jit_facts *facts);

/* Adds what a run needs. */
CAIRN_JIT_INTERNAL void cairn_jit_need_run(struct cairn_jit_need *need);

/* An object without functions and with that room, or NULL. */
CAIRN_JIT_INTERNAL struct cairn_jit_object *cairn_jit_object_new(const struct cairn_jit_need *need);

/* Frees an object that nobody knows any more. */
CAIRN_JIT_INTERNAL void cairn_jit_object_free(struct cairn_jit_object *object);

CAIRN_JIT_INTERNAL bool cairn_jit_object_fits(const struct cairn_jit_object *object,
                                              const struct cairn_jit_need *need);

/* A function belongs to a run of the object, which it may make longer, or to a new one. */
#define RUN_NEW UINT32_MAX

/* Appends a function, for which there is room, and notes it in `code`. */
CAIRN_JIT_INTERNAL void cairn_jit_object_append(struct cairn_jit_object *object,
                                                const struct cairn_jit_facts *facts, uint32_t run,
                                                struct cairn_jit_code *code);

/* Takes a function out for whoever reads the object from now on; its slot, its room and its code's handle stay. */
CAIRN_JIT_INTERNAL void cairn_jit_object_remove(struct cairn_jit_object *object, uint32_t slot);

/* The function of a slot, as long as the object lives. */
CAIRN_JIT_INTERNAL void cairn_jit_object_facts(const struct cairn_jit_object *object, uint32_t slot,
                                               struct cairn_jit_facts *facts);

/* Is something of [start, end) inside of the run, which may have room between its functions? */
CAIRN_JIT_INTERNAL bool cairn_jit_object_run_meets(const struct cairn_jit_object *object,
                                                   uint32_t run, uint64_t start, uint64_t end);

/* Where the run begins. */
CAIRN_JIT_INTERNAL uint64_t cairn_jit_object_run_start(const struct cairn_jit_object *object,
                                                       uint32_t run);

/* Puts the functions of `fresh` in place of all of the object, at once for whoever reads it, and frees `fresh`. */
CAIRN_JIT_INTERNAL void cairn_jit_object_swap(struct cairn_jit_object *object,
                                              struct cairn_jit_object *fresh);

#endif
