/* SPDX-License-Identifier: MIT */
/*
 * Finds the function at an address at a certain time in the life of a process, using its jitdump.
 * A perf map does not have times, so with a perf map a function is found only if it is the only one
 * at the address.
 *
 *	struct jit_history history;
 *	const uint64_t time = 5000;
 *	if (jit_history_read(&history, bytes) == CAIRN_OK) {
 *		const struct jit_function *function = jit_history_find(&history, 0x1000, &time);
 *		... function->name
 *		jit_history_finish(&history);
 *	}
 *
 *
 * Strings are borrowed from the file.
 */
#ifndef CAIRN_SYMBOLS_SOURCES_JIT_JIT_HISTORY_H
#define CAIRN_SYMBOLS_SOURCES_JIT_JIT_HISTORY_H

#include "jit_code.h"

#include "base/allowance.h"

/* Maximum number of functions visited: the first, plus the second for each byte of the file. */
enum { HISTORY_STEPS_LEAST = 1 << 26, HISTORY_STEPS_TIMES = 256 };

struct jit_history {
	struct jit_code code;
	uint64_t *reach; /* highest end of each function and all previous functions */
	struct allowance steps;
};

/* Read a file. Returns CAIRN_OK, or NO_MEMORY with nothing to finish. */
CAIRN_MUST_USE enum cairn_status jit_history_read(struct jit_history *history,
                                                  struct cairn_bytes file);
void jit_history_finish(struct jit_history *history);

/*
 * Find the function at `pc` at a time, by the clock of the jitdump. If `time` is NULL or the file
 * is a perf map, all functions that were ever there must have the same name, because it is unknown
 * which one was there. Returns NULL if the function is unknown or the work limit is exhausted.
 */
const struct jit_function *jit_history_find(struct jit_history *history, uint64_t pc,
                                            const uint64_t *time);

#endif
