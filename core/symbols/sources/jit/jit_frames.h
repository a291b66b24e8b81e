/* SPDX-License-Identifier: MIT */
/*
 * How to unwind code that a process has made: by the unwinding table that its jitdump has for it, or, of code that
 * keeps a frame pointer, by what the beginning of the code does (amd64).  On aarch64 there are tables alone.
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
#ifndef CAIRN_SYMBOLS_SOURCES_JIT_JIT_FRAMES_H
#define CAIRN_SYMBOLS_SOURCES_JIT_JIT_FRAMES_H

#include "jit_code.h"

#include "formats/ehframe/cfi_rules.h"

enum {
	JIT_FRAMES_ENTRIES = 64,        /* of one function's table that are looked at: it has two */
	JIT_FRAMES_ENTRY_MAX = 1 << 12, /* bytes of one of them; V8 has some 100 */
	JIT_FRAMES_ROWS = 1 << 10,      /* of one function */
	JIT_FRAMES_PROLOGUE = 512,      /* bytes of code in which a frame pointer is set up */
	JIT_FRAMES_FOLLOWED = 1 << 13,  /* bytes of code that are followed to find the row of one pc */
	JIT_FRAMES_FOUND = 1 << 16,     /* rows that are found one by one: each may take 50 us */
};

/* Rules of a piece of code: [start, end). */
struct jit_row {
	uint64_t start, end;
	struct cairn_rule rule;
	struct cfi_row row; /* with all registers, where `described` */
	bool described;     /* by the table of the jitdump */
};

/* How the code is followed. */
struct jit_prologue {
	size_t at;      /* the next instruction */
	int64_t height; /* bytes from the stack pointer to the CFA, before there is a frame pointer */
	enum { JIT_ENTRY, JIT_PUSHED, JIT_FRAME, JIT_LEFT } state;
};

struct jit_frames {
	const struct jit_function *function;
	const struct jit_details *details;
	bool described, whole; /* whole: code that is not at hand has one row */
	bool aarch64; /* code is not followed, and a call leaves the return address in x30 */
	struct ehframe_cie cie;
	struct ehframe_fde fde;
	struct jit_prologue prologue;
	uint64_t at; /* where the next row begins */
	unsigned rows;
};

/*
 * False: nothing is known of its frames.  A perf map has nothing of them; there functions count as ones with a frame
 * pointer from their first instruction on.
 */
bool jit_frames_open(struct jit_frames *frames, const struct jit_code *code,
                     const struct jit_function *function);

/* The next row, ascending and inside of the function; between two rows nothing is known. */
bool jit_frames_next(struct jit_frames *frames, struct jit_row *row);

/*
 * The row that holds `pc`, of a function with an unwinding table, or of one that begins with setting up a frame pointer
 * and is followed up to there. False: nothing is known.
 */
struct jit_frames_search {
	const struct jit_code *code;
	unsigned done; /* of JIT_FRAMES_FOUND */
};

bool jit_frames_find(struct jit_frames_search *search, uint64_t pc, struct jit_row *row);

#endif
