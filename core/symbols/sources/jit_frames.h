/* SPDX-License-Identifier: MIT */
/*
 * Finds unwind rules of JIT code: from the unwind table in its jitdump, or on amd64, for code with
 * a frame pointer, from its prologue. On aarch64 only tables are used.
 *
 *	struct jit_code code;
 *	struct jit_frames frames;
 *	struct jit_row row;
 *	status = jit_code_read(&code, bytes, NULL);
 *	const struct jit_function *function = jit_code_find(&code, 0x1000);
 *	if (jit_frames_open(&frames, &code, function))
 *		while (jit_frames_next(&frames, &row))
 *			... row.start, row.end, row.rule
 */
#ifndef CAIRN_SYMBOLS_SOURCES_JIT_FRAMES_H
#define CAIRN_SYMBOLS_SOURCES_JIT_FRAMES_H

#include "jit_code.h"

#include "formats/ehframe/cfi.h"

enum {
	/* entries of a function's table that are read; normal tables have two */
	JIT_FRAMES_ENTRIES = 64,
	JIT_FRAMES_ENTRY_MAX = 1 << 12, /* bytes of one entry; V8 has about 100 */
	JIT_FRAMES_ROWS = 1 << 10,
	/* bytes of code within which a frame pointer must be set up */
	JIT_FRAMES_PROLOGUE = 512,
	/* bytes of code that are followed to find the row of a pc */
	JIT_FRAMES_FOLLOWED = 1 << 13,
	JIT_FRAMES_FOUND = 1 << 16, /* maximum number of searches, which may take 50 us each */
};

/* Rules for [start, end). */
struct jit_row {
	uint64_t start, end;
	struct cairn_rule rule;
	struct cfi_row row; /* all registers, if `described` */
	bool described;     /* the rule comes from the jitdump's table */
};

struct jit_prologue {
	size_t at;
	/* bytes from the stack pointer to the CFA, until there is a frame pointer */
	int64_t height;
	enum { JIT_ENTRY, JIT_PUSHED, JIT_FRAME, JIT_LEFT } state;
};

struct jit_frames {
	const struct jit_function *function;
	const struct jit_details *details;
	bool described, whole; /* `whole`: the code is not available, so use a single row */
	/* code is not followed, and a call leaves the return address in x30 */
	bool aarch64;
	struct ehframe_cie cie;
	struct ehframe_fde fde;
	struct jit_prologue prologue;
	uint64_t at;
	unsigned rows;
};

/*
 * Prepare to read the rows of a function. Returns false if nothing is known about its frames. A
 * perf map has no frame information, so its functions are assumed to have a frame pointer from
 * their first instruction on.
 */
bool jit_frames_open(struct jit_frames *frames, const struct jit_code *code,
                     const struct jit_function *function);

/* Return the next row. Rows ascend inside the function; there may be gaps between them. */
bool jit_frames_next(struct jit_frames *frames, struct jit_row *row);

/*
 * Finds the row of a single pc, in a function with an unwind table or with a prologue that sets up
 * a frame pointer. `done` limits the total work.
 */
struct jit_frames_search {
	const struct jit_code *code;
	unsigned done; /* number of searches, up to JIT_FRAMES_FOUND */
};

bool jit_frames_find(struct jit_frames_search *search, uint64_t pc, struct jit_row *row);

#endif
