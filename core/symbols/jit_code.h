/* SPDX-License-Identifier: MIT */
/*
 * Reads the descriptions of JIT code that a process has written to a jitdump or a perf map.
 *
 *	struct jit_code code;
 *	if (jit_code_read(&code, bytes, NULL) == CAIRN_OK) {
 *		const struct jit_function *function = jit_code_find(&code, 0x1000);
 *		... function->name
 *		jit_code_finish(&code);
 *	}
 *
 * Strings are borrowed from the file. Processes replace code while they run, but the file keeps the
 * old records. The last record for an address describes the current code.
 */
#ifndef CAIRN_SYMBOLS_JIT_CODE_H
#define CAIRN_SYMBOLS_JIT_CODE_H

#include "base/allowance.h"
#include "base/function.h"
#include "base/polling.h"

#include <cairn.h>

/*
 * Maximum number of functions to read from a file, which take 200 MB at 48 bytes each. Real
 * processes have about 100,000 functions.
 */
enum { JIT_FUNCTIONS_MAX = 1 << 22 };

/*
 * Index of a function's lines. Line addresses need not ascend, so lines are searched by the running
 * maximum of their addresses.
 */
struct jit_line_index {
	struct jit_indexed_line {
		uint64_t highest;
		uint32_t line;
		struct cairn_bytes file;
	} * line;
	size_t count, capacity;
};

/* Data found only in jitdumps. Each member may be empty. */
struct jit_details {
	struct cairn_bytes lines; /* lines as encoded in the jitdump, for jit_code_next_line() */
	struct cairn_bytes code;
	/* contents of an .eh_frame section; see struct jitdump_record */
	struct cairn_bytes frames;
	struct jit_line_index index; /* built by the first search for a line */
};

struct jit_function {
	/* code addresses; size is not 0, and start + size does not overflow */
	uint64_t start, size;
	struct cairn_bytes name;
	uint64_t time; /* load time on the jitdump's clock; 0 in a perf map */
	uint32_t number;
	uint32_t details; /* index into jit_code.details; 0 if a function has no details */
};

struct jit_code {
	struct jit_function *function;
	size_t count, capacity;
	struct jit_details *details;
	size_t details_count, details_capacity;
	struct jit_move *move;
	size_t move_count, move_capacity;
	bool dump; /* the file is a jitdump; otherwise the fields below are unused */
	bool big;
	uint32_t pid; /* PID as the process itself saw it, possibly in a PID namespace */
	/*
	 * machine to which the register numbers in `frames` belong; set by the caller, AMD64 by
	 * default
	 */
	enum cairn_machine machine;
	uint64_t shift; /* number of bytes to subtract from line addresses */
};

/*
 * Read a file. A file that is not a jitdump is parsed as a perf map. Returns CAIRN_OK, or
 * NO_MEMORY, after which jit_code_finish() is not needed. `polling` may be NULL.
 */
CAIRN_MUST_USE enum cairn_status jit_code_read(struct jit_code *code, struct cairn_bytes file,
                                               struct polling *polling);
void jit_code_finish(struct jit_code *code);

/* Return the function whose code is currently at `pc`, or NULL if it is unknown. */
const struct jit_function *jit_code_find(const struct jit_code *code, uint64_t pc);

/*
 * Remove functions that are overlapped by a later function. The remaining functions are disjoint.
 */
void jit_code_remove_replaced(struct jit_code *code);

static inline const struct jit_details *jit_code_details(const struct jit_code *code,
                                                         const struct jit_function *function)
{
	return &code->details[function->details];
}

/* A line, which applies up to the address of the next line. */
struct jit_line {
	uint64_t address;
	uint32_t line;
	struct cairn_bytes file;
};

/*
 * Find the line of `pc`: the last line before the first line whose address exceeds `pc`. Returns
 * false if no line applies. The first search in a function builds an index, which takes at most
 * twice the size of the function's lines.
 */
bool jit_code_find_line(struct jit_code *code, const struct jit_function *function, uint64_t pc,
                        struct jit_line *line);

enum { JIT_LINES_MAX = 1 << 20 }; /* maximum number of lines to read per function */

/*
 * Pass all functions with their lines to `sink`. Call jit_code_remove_replaced() first. Returns
 * CAIRN_OK, NO_MEMORY, or the status of the sink.
 */
CAIRN_MUST_USE enum cairn_status jit_functions(const struct jit_code *code,
                                               const struct function_sink *sink);

/*
 * Finds the function at an address at a certain time in the life of a process, using its jitdump. A
 * perf map does not record times, so its function is found only if no other function has ever been
 * at the address.
 *
 *	struct jit_history history;
 *	const uint64_t time = 5000;
 *	if (jit_history_read(&history, bytes) == CAIRN_OK) {
 *		const struct jit_function *function = jit_history_find(&history, 0x1000, &time);
 *		... function->name
 *		jit_history_finish(&history);
 *	}
 */

/*
 * Maximum number of functions that all searches in a file may visit: HISTORY_STEPS_LEAST plus
 * HISTORY_STEPS_TIMES for each byte of the file.
 */
enum { HISTORY_STEPS_LEAST = 1 << 26, HISTORY_STEPS_TIMES = 256 };

struct jit_history {
	struct jit_code code;
	/* for each function, the highest end of this function and all previous ones */
	uint64_t *reach;
	struct allowance steps;
};

/* Read a file. Returns CAIRN_OK, or NO_MEMORY, after which jit_history_finish() is not needed. */
CAIRN_MUST_USE enum cairn_status jit_history_read(struct jit_history *history,
                                                  struct cairn_bytes file);
void jit_history_finish(struct jit_history *history);

/*
 * Find the function that was at `pc` at *time, on the jitdump's clock. If `time` is NULL or the
 * file is a perf map, nothing tells which function was there, so all functions that have ever been
 * there must have the same name. Returns NULL if the function is unknown or the step limit is
 * exhausted.
 */
const struct jit_function *jit_history_find(struct jit_history *history, uint64_t pc,
                                            const uint64_t *time);

#endif
