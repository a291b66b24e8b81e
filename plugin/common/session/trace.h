/* SPDX-License-Identifier: MIT */
/* Frames or addresses of one command, and what is known of each. */
#ifndef CAIRN_COMMON_SESSION_TRACE_H
#define CAIRN_COMMON_SESSION_TRACE_H

#include <cairn.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Frames of one command, innermost or outermost: a stack of 8 MB that overflows has some 40,000, and a
 * spot takes half a kilobyte.
 */
enum { TRACE_MAX = 1 << 16 };

/* What is shown of one frame, or of one address. */
struct code_location {
	uint64_t pc;
	uint64_t lookup; /* what symbols are looked up with */
	uint64_t module_low, bias, cfa;
	enum cairn_stop stop; /* of the step to its caller */
	enum cairn_unwind_method method;
	bool by_cfi, signal;
	bool inlined;       /* a call that was inlined into the function of the next spot */
	bool named;         /* the debugger has been asked for what follows */
	char function[256]; /* "name + offset"; empty when nobody knows it */
	char file[256];
	unsigned line;
	size_t same; /* the spot that has the same address: the debugger is asked once */
};

/* Zeros are an empty one. */
struct trace {
	struct code_location *spots;
	size_t count, room;
	size_t level;       /* of the first */
	bool more;          /* it ends before the stack does */
	bool outermost;     /* it was asked for from the other end */
	bool lacks_modules; /* some spot's module has no name yet: the debugger is asked for all */
};

void trace_start(struct trace *trace);
void trace_finish(struct trace *trace);

/* One more spot; NULL when memory is short or there are too many. */
struct code_location *trace_add(struct trace *trace);

/* Let go of all but the last ones. */
void trace_keep_last(struct trace *trace, size_t count);

/*
 * Find the spots that have the address of another: a recursion has few different ones.  Those are
 * asked once, and the answer is copied to the others.
 */
void trace_find_same(struct trace *trace);
void trace_copy_same(struct trace *trace);

/* Sorts the spots by what symbols are looked up with, and keeps one of each. */
void trace_sort(struct trace *trace);

/* The first of the spots of an address, which are side by side in a sorted trace, the innermost call first; NULL: there are none. */
const struct code_location *trace_find(const struct trace *trace, uint64_t lookup);

#ifdef __cplusplus
}
#endif

/*
 * Find the caller as the command line does, and return false if there is none. Programs of musl have no tables: a leaf has
 * no frame pointer of its own then, and a function that leaves the frame pointer alone is not in the chain, which leads
 * past its caller.
 */
bool trace_find_caller(struct cairn_space *space, const struct cairn_registers *frame,
                       enum cairn_frame_kind kind, struct cairn_step *step);

#endif
