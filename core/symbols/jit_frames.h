/* SPDX-License-Identifier: MIT */
/*
 * Finds the unwind rules of JIT code in the unwind table of its jitdump. On amd64, rules for
 * functions without a table are derived from the prologue if it sets up a frame pointer.
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
#ifndef CAIRN_SYMBOLS_JIT_FRAMES_H
#define CAIRN_SYMBOLS_JIT_FRAMES_H

#include "jit_code.h"

#include "formats/ehframe/cfi.h"

enum {
	/* maximum number of FDEs and CIEs to read per function; normal tables have two */
	JIT_FRAMES_ENTRIES = 64,
	/* maximum size of an FDE or CIE; V8 writes about 100 bytes */
	JIT_FRAMES_ENTRY_MAX = 1 << 12,
	JIT_FRAMES_ROWS = 1 << 10,
	/* maximum number of code bytes to search for the setup of a frame pointer */
	JIT_FRAMES_PROLOGUE = 512,
	/* maximum number of code bytes to decode to find the row of a pc */
	JIT_FRAMES_FOLLOWED = 1 << 13,
	JIT_FRAMES_FOUND = 1 << 16, /* maximum number of searches, which may take 50 us each */
};

struct jit_row {
	uint64_t start, end;
	struct cairn_rule rule;
	struct cfi_row row; /* rules for all registers; valid if `described` */
	bool described;     /* row comes from the unwind table in the jitdump */
};

struct jit_prologue {
	size_t at;
	/* distance from the stack pointer to the CFA until a frame pointer is set up */
	int64_t height;
	enum { JIT_ENTRY, JIT_PUSHED, JIT_FRAME, JIT_LEFT } state;
};

struct jit_frames {
	const struct jit_function *function;
	const struct jit_details *details;
	/* `whole`: the code is not in the file, so a single row covers the function */
	bool described, whole;
	/*
	 * machine is aarch64: prologues are not decoded, and calls leave the return address in x30
	 */
	bool aarch64;
	struct ehframe_cie cie;
	struct ehframe_fde fde;
	struct jit_prologue prologue;
	uint64_t at;
	unsigned rows;
};

/*
 * Prepare to read a function's rows. Returns false if nothing is known about its frames. A perf map
 * contains no unwind information, so its functions are assumed to have a frame pointer from their
 * first instruction on.
 */
bool jit_frames_open(struct jit_frames *frames, const struct jit_code *code,
                     const struct jit_function *function);

/*
 * Set *row to the next row. Returns false at the end. Rows ascend and may have gaps between them.
 */
bool jit_frames_next(struct jit_frames *frames, struct jit_row *row);

/*
 * Finds the row of a single pc, in a function with an unwind table or a prologue that sets up a
 * frame pointer.
 */
struct jit_frames_search {
	const struct jit_code *code;
	unsigned done; /* number of searches so far, at most JIT_FRAMES_FOUND */
};

bool jit_frames_find(struct jit_frames_search *search, uint64_t pc, struct jit_row *row);

#endif
