/* SPDX-License-Identifier: MIT */
/*
 * Frames of one stack that GDB asks about one after the other, as a backtrace does.
 *
 * The target may change between two questions, so each one looks again at what the one before knew.  In a
 * backtrace nothing changes, and looking costs more than all the rest.  GDB does not say which frames belong
 * together.  A question goes on with the stack of the one before when all of this is true:
 *
 *	- GDB asks from the same place of its own stack, as a loop does; the innermost frame, with which it
 *	  begins when the program has run or another thread is selected, it asks about from another one
 *	- it asks within CHAIN_SOON, in which no program is resumed and stopped
 *	- the pc is the one that the frame before returns to, as its rule and the stack say
 *	- the same was true of the question before, which was answered with all that was looked at
 *
 * Then memory that was read is believed, and modules that were there.  A plan is the rule of a pc, for frames
 * that GDB unwinds itself.  It counts again in another stack as soon as its module was found to be there, the same
 * one; where there is another one, all are forgotten.
 */
#ifndef CAIRN_GDB_UNWINDER_FRAME_CHAIN_H
#define CAIRN_GDB_UNWINDER_FRAME_CHAIN_H

#include <cairn.h>

#include <gdb/jit-reader.h>

#include <stdbool.h>
#include <stdint.h>

enum {
	CHAIN_SOON = 100000, /* ns; a step of one instruction takes longer */
	CHAIN_DEEP = 64,     /* frames of a stack before rules are read when a pc is seen first */
	CHAIN_PLANS = 2048,  /* a power of two */
	CHAIN_MODULES = 16,
};

/* Where the caller of a frame at this pc is; the pc is one that a call returns to. */
struct frame_plan {
	uint64_t pc;
	unsigned era;    /* frame_chain.era when it was made */
	uint8_t module;  /* which of frame_chain.modules holds the pc */
	bool seen;       /* nothing is known but that a frame was there */
	bool none;       /* the frame was of a kind that has no plan */
	bool cfa_by_fp;  /* the CFA counts from the frame pointer, and not from the stack pointer */
	bool saves_fp;   /* else the caller has the same one */
	bool always_gdb; /* and not only as long as the return address is no trampoline */
	int32_t cfa;
	int32_t fp; /* where the caller's frame pointer is saved, from the CFA */
};

struct frame_chain {
	const void *place; /* from where GDB asked last */
	uint64_t asked_at; /* ns */
	unsigned run;      /* questions from that place in a row, up to CHAIN_DEEP */
	bool linked;       /* the last question was about the frame that was expected */
	bool follows;      /* so is this one, and nothing is looked at again */
	bool expects; /* `next` is the frame that GDB asks about next, unless it does something else */
	bool complete; /* with all registers that can be known */
	struct cairn_registers next;
	unsigned stack; /* counts the stacks, */
	unsigned era;   /* and how often all plans were forgotten */
	struct frame_plan plans[CHAIN_PLANS];
	struct {
		uint64_t low, high, print;
		const void *headers;
		unsigned stack; /* the last one in which it was found to be there */
	} modules[CHAIN_MODULES];
	unsigned module_count;
};

struct unwinder;

/* GDB asks: does the frame follow the last one?  Then it is chain->next, up to the registers that are not known. */
bool frame_chain_follow(struct unwinder *u, struct gdb_unwind_callbacks *cb);

/* The frame of a question that does not follow, once it is known. */
void frame_chain_begin(struct unwinder *u, const struct cairn_registers *frame);

/* By the plans of this frame and of its caller alone: is it one that GDB unwinds? */
bool frame_chain_is_for_gdb(struct unwinder *u);

/* GDB unwinds the frame itself: makes a plan of its rule, and expects the caller.  Without a rule it has no plan. */
void frame_chain_pass(struct unwinder *u, const struct cairn_registers *frame,
                      const struct cairn_rule *rule, bool always_gdb);

/*
 * GDB unwinds the frame itself, whatever its caller is, and its rule is not known yet.  Of a deep stack, and of one
 * that is looked at again, it pays to read the rules, and to know which frame comes next.
 */
void frame_chain_pass_ordinary(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                               struct cairn_registers *frame);

/* GDB was given this caller. */
void frame_chain_answer(struct unwinder *u, const struct cairn_registers *caller);

/* Something else has happened: nothing is expected, and no plan counts. */
void frame_chain_reset(struct frame_chain *chain);

#endif
