/* SPDX-License-Identifier: MIT */
/*
 * A fast path for consecutive frames of one stack, which GDB queries during a backtrace.
 *
 * The target may change between two queries, so each query normally checks all cached data again.
 * During a backtrace nothing changes, and these checks take most of the time. However, GDB does not
 * tell readers which queries belong to one backtrace. A query is assumed to continue the backtrace
 * of the previous query if all of these conditions hold:
 *
 *   - GDB's own stack pointer is the same as in the previous query, as in a loop; a query about the
 *     innermost frame, which comes first after the program has run or another thread is selected,
 *     is made from a different location
 *   - less than CHAIN_SOON has passed, which is too little to resume and stop a program
 *   - the pc is the return address of the previous frame, according to its rule and the stack
 *   - the previous query satisfied the same conditions and was answered with all checks
 *
 * In this case memory and modules from earlier queries are reused without checks. In addition, a
 * plan caches the unwind rule for the pc of a frame that GDB unwinds itself. A plan may be used for
 * another stack once its module was found unchanged; if a different module occupies the address,
 * all plans are discarded.
 */
#ifndef CAIRN_GDB_UNWINDER_FRAME_CHAIN_H
#define CAIRN_GDB_UNWINDER_FRAME_CHAIN_H

#include <cairn.h>
#include <gdb/jit-reader.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	CHAIN_SOON = 100000, /* nanoseconds; a single step takes longer */
	/* stack depth beyond which rules are read even for a pc that is seen for the first time */
	CHAIN_DEEP = 64,
	CHAIN_PLANS = 2048, /* must be a power of two */
	CHAIN_MODULES = 16,
};

/* Cached unwind rule for frames at this pc, which is a return address. */
struct frame_plan {
	uint64_t pc;
	unsigned era;   /* frame_chain.era when the plan was made */
	uint8_t module; /* index in frame_chain.modules of the module that contains the pc */
	bool seen;      /* a frame was seen at this pc, but the fields below are not set */
	bool none;      /* frames at this pc cannot have a plan */
	bool cfa_by_fp; /* the CFA is relative to the frame pointer instead of the stack pointer */
	/* the frame pointer is saved; otherwise the caller has the same frame pointer */
	bool saves_fp;
	/* GDB unwinds the frame even if the return address points to a trampoline */
	bool always_gdb;
	int32_t cfa;
	int32_t fp; /* offset from the CFA to the saved frame pointer */
};

struct frame_chain {
	const void *place; /* address of the callbacks at the last query, which is on GDB's stack */
	uint64_t asked_at; /* time of the last query in nanoseconds */
	unsigned run;      /* number of consecutive queries from that address, at most CHAIN_DEEP */
	bool linked;       /* the last query was about the frame in `next` */
	/* this query is about the expected frame too, so the checks are skipped */
	bool follows;
	bool expects;  /* `next` is valid: the frame that GDB is expected to query next */
	bool complete; /* `next` contains all registers that can be recovered */
	struct cairn_registers next;
	unsigned stack; /* number of the current stack, increased for each new chain */
	unsigned era;   /* number of times that all plans were discarded */
	struct frame_plan plans[CHAIN_PLANS];
	struct {
		uint64_t low, high, print;
		const void *headers;
		/* number of the last stack in which the module was found unchanged */
		unsigned stack;
	} modules[CHAIN_MODULES];
	unsigned module_count;
};

struct unwinder;

/*
 * Return true if GDB's query continues the chain. The frame is then in chain->next, whose registers
 * may be incomplete.
 */
bool frame_chain_follow(struct unwinder *u, struct gdb_unwind_callbacks *cb);

/*
 * Start a new chain with the identified frame of a query that does not continue the previous chain.
 */
void frame_chain_begin(struct unwinder *u, const struct cairn_registers *frame);

/* Return true if the plans of this frame and its caller show that GDB must unwind the frame. */
bool frame_chain_is_for_gdb(struct unwinder *u);

/*
 * Record the rule of a frame that GDB unwinds itself as a plan, and expect the frame's caller. Does
 * nothing if no rule is found.
 */
void frame_chain_pass(struct unwinder *u, const struct cairn_registers *frame,
                      const struct cairn_rule *rule, bool always_gdb);

/*
 * Handle a frame that GDB unwinds itself whatever its caller is, and that has no plan yet. Reads
 * the rule only for a deep stack, or for a frame that was seen before, because only then does the
 * plan save more time than it takes to make.
 */
void frame_chain_pass_ordinary(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                               struct cairn_registers *frame);

/* Record the caller that GDB was given, and expect it in the next query. */
void frame_chain_answer(struct unwinder *u, const struct cairn_registers *caller);

/* Discard all plans and expectations. Call it whenever GDB does anything but unwind. */
void frame_chain_reset(struct frame_chain *chain);

#endif
