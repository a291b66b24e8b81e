/* SPDX-License-Identifier: MIT */
/* The frames or addresses of one command, with their names. */
#ifndef CAIRN_COMMON_SESSION_TRACE_H
#define CAIRN_COMMON_SESSION_TRACE_H

#include <cairn.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Maximum number of frames that one command shows. A stack overflow in 8 MB has about 40,000
 * frames, and a location takes half a kilobyte.
 */
enum { TRACE_MAX = 1 << 16 };

struct code_location {
	uint64_t pc;
	uint64_t lookup;
	uint64_t module_low, bias, cfa;
	enum cairn_stop stop;
	enum cairn_unwind_method method;
	bool by_cfi, signal;
	bool inlined;       /* the call is inlined into the function in the next location */
	bool async;         /* a caller of an async Swift function, which is not on the stack */
	bool named;         /* the debugger has been queried for `function`, `file` and `line` */
	char function[256]; /* "name + offset"; empty if unknown */
	char file[256];
	unsigned line;
	/* index of a location with the same address, so that the debugger is queried only once */
	size_t same;
};

struct trace {
	struct code_location *spots;
	size_t count, capacity;
	size_t level;
	bool more; /* the stack continues after the last location */
	bool outermost;
	/* the debugger must be queried for module names, because a module has no name yet */
	bool lacks_modules;
};

void trace_start(struct trace *trace);
void trace_finish(struct trace *trace);

/* Add a location. Returns NULL if allocation fails or there are already TRACE_MAX locations. */
struct code_location *trace_add(struct trace *trace);

void trace_keep_last(struct trace *trace, size_t count);

/*
 * Avoid repeated queries for the same address, because a recursive stack has few distinct
 * addresses. trace_find_same() sets `same` in all locations before the debugger is queried.
 * Afterwards trace_copy_same() copies the results to the locations that were not queried.
 */
void trace_find_same(struct trace *trace);
void trace_copy_same(struct trace *trace);

/* Sort the locations by lookup address and keep one for each address. */
void trace_sort(struct trace *trace);

/*
 * Return the first location of an address in a sorted trace, or NULL. Locations with the same
 * address are adjacent, innermost call first.
 */
const struct code_location *trace_find(const struct trace *trace, uint64_t lookup);

/*
 * Find the caller with the same methods as the command line. Returns false if no caller is found.
 *
 * Programs linked with musl lack unwind tables, and frame pointers miss a caller if a leaf function
 * has not set up a frame pointer or a function does not use it. In these cases the machine code is
 * analyzed instead.
 */
bool trace_find_caller(struct cairn_space *space, const struct cairn_registers *frame,
                       enum cairn_frame_kind kind, struct cairn_step *step);

#ifdef __cplusplus
}
#endif

#endif
