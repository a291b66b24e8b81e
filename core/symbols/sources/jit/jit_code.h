/* SPDX-License-Identifier: MIT */
/*
 * Code that a process made at run time (JIT), as the process describes it in a file: a jitdump or a perf map.
 *
 *	struct jit_code code;
 *	if (jit_code_read(&code, bytes, NULL) == CAIRN_OK) {
 *		const struct jit_function *function = jit_code_find(&code, 0x1000);
 *		... function->name
 *		jit_code_finish(&code);
 *	}
 *
 * Texts are the file's own bytes, which are borrowed.  Code is replaced as the process goes on, and the file keeps
 * what was there before: the last of what begins at an address is what is there now.
 */
#ifndef CAIRN_SYMBOLS_SOURCES_JIT_JIT_CODE_H
#define CAIRN_SYMBOLS_SOURCES_JIT_JIT_CODE_H

#include "base/polling.h"

#include <cairn.h>

/* A file has at most so many functions that are used: 48 bytes each, or 200 MB.  Processes have some 100,000. */
enum { JIT_FUNCTIONS_MAX = 1 << 22 };

/* Lines by the highest address of a line and those before it, which ascends whatever the addresses do. */
struct jit_line_index {
	struct jit_indexed_line {
		uint64_t highest;
		uint32_t line;
		struct cairn_bytes file;
	} * line;
	size_t count, room;
};

/* What only a jitdump has; each may be empty. */
struct jit_details {
	struct cairn_bytes lines;    /* for jit_code_line() */
	struct cairn_bytes code;     /* all of it */
	struct cairn_bytes frames;   /* an .eh_frame, as struct jitdump_record has it */
	struct jit_line_index index; /* of the lines, once one was looked for */
};

struct jit_function {
	uint64_t start, size; /* pc; size: not 0, and not past the end of memory */
	struct cairn_bytes name;
	uint64_t time;    /* since when it is there, by the clock of the jitdump; 0 in a perf map */
	uint32_t number;  /* which of the file it is, from 0 */
	uint32_t details; /* which of the details is its own; 0: none */
};

struct jit_code {
	struct jit_function *function; /* by start, and those of one start by number */
	size_t count, room;
	struct jit_details *details;
	size_t details_count, details_room;
	struct jit_move *move;
	size_t move_count, move_room;
	bool dump; /* it is a jitdump; then also: */
	bool big;
	uint32_t pid; /* as the process knows itself */
	/* whose registers its tables name; whoever has read it sets it, and none is AMD64 */
	enum cairn_machine machine;
	uint64_t shift; /* what is to be taken away from addresses of lines */
};

/*
 * CAIRN_OK, or NO_MEMORY with nothing to finish.  Any bytes that are not a jitdump are a perf map.  `polling` may be
 * NULL.
 */
CAIRN_MUST_USE enum cairn_status jit_code_read(struct jit_code *code, struct cairn_bytes file,
                                               struct polling *polling);
void jit_code_finish(struct jit_code *code);

/* What is at `pc` now; NULL: nothing that is known. */
const struct jit_function *jit_code_find(const struct jit_code *code, uint64_t pc);

/* Leaves out functions of which a later one has taken a part: none is over another one after that. */
void jit_code_drop_replaced(struct jit_code *code);

static inline const struct jit_details *jit_code_details(const struct jit_code *code,
                                                         const struct jit_function *function)
{
	return &code->details[function->details];
}

/* A line holds from its address to that of the next one. */
struct jit_line {
	uint64_t address;
	uint32_t line;
	struct cairn_bytes file;
};

/*
 * The lines of a function, one by one: `lines` are those of its details at first, and *line is zeros.  Returns
 * false after the last one.
 */
bool jit_code_next_line(const struct jit_code *code, struct cairn_bytes *lines,
                        struct jit_line *line);

/*
 * The last line of the function before the first one that is past `pc`; false: there is none.  The lines are read once, and
 * kept in at most twice their size.
 */
bool jit_code_find_line(struct jit_code *code, const struct jit_function *function, uint64_t pc,
                        struct jit_line *line);

#endif
