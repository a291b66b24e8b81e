/* SPDX-License-Identifier: MIT */
/*
 * A shortcut for frames of one stack that GDB asks about one after the other, as a backtrace does.
 *
 * The target may change between two queries, so normally each query checks again all data that the
 * one before it used. In a backtrace nothing changes, and these checks cost more than all the rest.
 * GDB does not say which frames belong together. A query is taken to continue the stack of the
 * previous one if all of this is true:
 *
 *   - GDB calls from the same location of its own stack, as a loop does; a query about the
 *     innermost frame, which comes first after the program has run or another thread is selected,
 *     is made from a different location
 *   - it calls within CHAIN_SOON, too soon for a program to be resumed and stopped
 *   - the pc is the one to which the previous frame returns, according to its rule and the stack
 *   - the same was true for the previous query, which was answered with all checks made
 *
 * Then memory and modules from earlier queries are used without a check. A plan is the rule for a
 * pc, for frames that GDB unwinds itself. It may be used in another stack as soon as its module is
 * found there unchanged; if a different module is there, all plans are discarded.
 */
#ifndef CAIRN_GDB_UNWINDER_FRAME_CHAIN_H
#define CAIRN_GDB_UNWINDER_FRAME_CHAIN_H

#include <cairn.h>
#include <gdb/jit-reader.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	CHAIN_SOON = 100000, /* ns; a single step takes longer */
	CHAIN_DEEP = 64, /* frames of a stack after which rules are read when a pc is first seen */
	CHAIN_PLANS = 2048, /* a power of two */
	CHAIN_MODULES = 16,
};

/* Rule for the caller of a frame at this pc, which is a return address. */
struct frame_plan {
	uint64_t pc;
	unsigned era;    /* frame_chain.era when the plan was made */
	uint8_t module;  /* index of the pc's module in frame_chain.modules */
	bool seen;       /* a frame was seen here; the other fields are not set */
	bool none;       /* a frame of a kind that cannot have a plan was seen here */
	bool cfa_by_fp;  /* the CFA is relative to the frame pointer instead of the stack pointer */
	bool saves_fp;   /* the frame pointer is saved; otherwise the caller has the same one */
	bool always_gdb; /* GDB unwinds the frame even if the return address is a trampoline */
	int32_t cfa;
	int32_t fp; /* offset of the saved frame pointer from the CFA */
};

struct frame_chain {
	const void *place; /* address of the callbacks at the last query, on GDB's stack */
	uint64_t asked_at; /* ns */
	unsigned run;      /* consecutive queries from that address, up to CHAIN_DEEP */
	bool linked;       /* the last query was about the expected frame */
	/* this query is about the expected frame, too, so nothing is checked again */
	bool follows;
	bool expects;  /* `next` is the frame of GDB's next query, unless GDB does something else */
	bool complete; /* `next` has all registers that can be known */
	struct cairn_registers next;
	unsigned stack; /* number of the current stack */
	unsigned era;   /* number of times that all plans were discarded */
	struct frame_plan plans[CHAIN_PLANS];
	struct {
		uint64_t low, high, print;
		const void *headers;
		unsigned stack; /* last stack in which the module was found to be loaded */
	} modules[CHAIN_MODULES];
	unsigned module_count;
};

struct unwinder;

/*
 * Return true if GDB's query continues the chain. The frame is then chain->next, except for
 * registers that are not known.
 */
bool frame_chain_follow(struct unwinder *u, struct gdb_unwind_callbacks *cb);

/* Record the frame of a query that does not continue the chain, once it is identified. */
void frame_chain_begin(struct unwinder *u, const struct cairn_registers *frame);

/* Return true if the plans of this frame and its caller show that GDB unwinds the frame itself. */
bool frame_chain_is_for_gdb(struct unwinder *u);

/*
 * Make a plan from the rule of a frame that GDB unwinds itself, and expect its caller. Without a
 * rule there is no plan.
 */
void frame_chain_pass(struct unwinder *u, const struct cairn_registers *frame,
                      const struct cairn_rule *rule, bool always_gdb);

/*
 * Handle a frame that GDB unwinds itself whatever its caller is, and whose rule is not known yet.
 * The rules are worth reading for a deep stack, or for one that is shown again, because then the
 * next frame is known.
 */
void frame_chain_pass_ordinary(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                               struct cairn_registers *frame);

/* Record that GDB was given this caller. */
void frame_chain_answer(struct unwinder *u, const struct cairn_registers *caller);

/* Discard all plans and expectations, because something else has happened. */
void frame_chain_reset(struct frame_chain *chain);

#endif
