/* SPDX-License-Identifier: MIT */
/*
 * A fast path for consecutive frames in one stack, which GDB queries during a backtrace.
 *
 * The target may change between two queries, so each query normally checks all cached data again.
 * During a backtrace nothing changes, and these checks would take most of the time. However, GDB
 * does not tell readers which queries belong to one backtrace. A query is assumed to continue the
 * previous query's backtrace if all of these conditions hold:
 *
 * - GDB's own stack pointer is the same as in the previous query, as in a loop; a query about the
 * innermost frame, which comes first after the program has run or another thread has been selected,
 * comes from a different location in GDB
 * - less than CHAIN_SOON has passed, which is too little to resume and stop a program
 * - the pc is the previous frame's return address, according to its rule and the stack
 * - the previous query satisfied the same conditions; the first query that satisfies them is still
 * answered with all checks
 *
 * In this case memory and modules from earlier queries are reused without checks. In addition, a
 * plan caches the unwind rule for the pc of a frame that GDB unwinds itself. A plan may be used for
 * another stack once its module has been found unchanged; if a different module occupies the
 * address, all plans are discarded.
 */
#ifndef CAIRN_GDB_UNWINDER_FRAME_CHAIN_H
#define CAIRN_GDB_UNWINDER_FRAME_CHAIN_H

#include <cairn.h>
#include <gdb/jit-reader.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	/* maximum time between two queries of a chain in nanoseconds; a single step takes longer */
	CHAIN_SOON = 100000,
	/* stack depth beyond which rules are read even for a pc that is seen for the first time */
	CHAIN_DEEP = 64,
	CHAIN_PLANS = 2048, /* must be a power of two */
	CHAIN_MODULES = 16,
};

/* Cached unwind rule for the frames at one pc, which is a return address. */
struct frame_plan {
	uint64_t pc;
	unsigned era;   /* value of frame_chain.era when this plan was recorded */
	uint8_t module; /* index in frame_chain.modules of the module that contains the pc */
	bool seen;      /* a frame has been seen at this pc, but the fields below are not set */
	bool none;      /* frames at this pc cannot have a plan */
	bool cfa_by_fp; /* the CFA is relative to the frame pointer instead of the stack pointer */
	/* the function saves the frame pointer; otherwise the caller has the same frame pointer */
	bool saves_fp;
	/* GDB unwinds the frame even if the return address points to a trampoline */
	bool always_gdb;
	int32_t cfa;
	int32_t fp; /* offset from the CFA to the saved frame pointer */
};

struct frame_chain {
	/*
	 * address of the last query's callbacks, which GDB keeps on its stack; if it is the same
	 * again, GDB probably calls from the same location
	 */
	const void *place;
	uint64_t asked_at; /* time of the last query in nanoseconds */
	unsigned run;      /* number of consecutive queries from `place`, at most CHAIN_DEEP */
	bool linked;       /* the last query was about the frame in `next` */
	/* this query is about the expected frame, so the checks are skipped */
	bool follows;
	bool expects;  /* `next` is the frame that GDB is expected to query next */
	bool complete; /* `next` contains all registers that can be recovered */
	struct cairn_registers next;
	unsigned stack; /* ID of the current stack, incremented for each new chain */
	unsigned era;   /* number of times that all plans have been discarded */
	struct frame_plan plans[CHAIN_PLANS];
	struct {
		uint64_t low, high, print;
		const void *headers;
		/* value of frame_chain.stack when the module was last found unchanged */
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

/* Start a new chain with this frame, because the query does not continue the previous chain. */
void frame_chain_begin(struct unwinder *u, const struct cairn_registers *frame);

/* Return true if the plans for this frame and its caller show that GDB must unwind the frame. */
bool frame_chain_is_for_gdb(struct unwinder *u);

/*
 * Record a plan with the rule for a frame that GDB unwinds itself, and expect the next query to be
 * about the frame's caller. If `rule` is NULL or a plan cannot express it, only record that frames
 * at this pc cannot have a plan.
 */
void frame_chain_pass(struct unwinder *u, const struct cairn_registers *frame,
                      const struct cairn_rule *rule, bool always_gdb);

/*
 * Handle a frame that has no plan yet and that GDB unwinds itself, whatever its caller is. Reads
 * the rule only if the stack is deep or a frame at this pc has been seen before, because only then
 * does the plan save more time than it takes to make.
 */
void frame_chain_pass_ordinary(struct unwinder *u, struct gdb_unwind_callbacks *cb,
                               struct cairn_registers *frame);

/* Record the caller that GDB has received, and expect the next query to be about the caller. */
void frame_chain_answer(struct unwinder *u, const struct cairn_registers *caller);

/* Discard all plans and expectations. Call this whenever GDB does anything but unwind. */
void frame_chain_reset(struct frame_chain *chain);

#endif
