/* SPDX-License-Identifier: MIT */
/*
 * What was at an address at some time in the life of a process, by its jitdump; or, by a perf map, which has no times, what was there
 * whenever anything was.
 *
 *	struct jit_history history;
 *	const uint64_t time = 5000;
 *	if (jit_history_read(&history, bytes) == CAIRN_OK) {
 *		const struct jit_function *function = jit_history_find(&history, 0x1000, &time);
 *		... function->name
 *		jit_history_finish(&history);
 *	}
 *
 * Texts are the file's own bytes, which are borrowed.
 */
#ifndef CAIRN_SYMBOLS_SOURCES_JIT_JIT_HISTORY_H
#define CAIRN_SYMBOLS_SOURCES_JIT_JIT_HISTORY_H

#include "jit_code.h"

#include "base/allowance.h"

/* Functions that are looked at, for any file and for each byte of it. */
enum { HISTORY_STEPS_LEAST = 1 << 26, HISTORY_STEPS_TIMES = 256 };

struct jit_history {
	struct jit_code code;
	uint64_t *reach; /* of each function and those before it, the highest end */
	struct allowance steps;
};

/* Returns CAIRN_OK, or NO_MEMORY with nothing to finish. */
CAIRN_MUST_USE enum cairn_status jit_history_read(struct jit_history *history,
                                                  struct cairn_bytes file);
void jit_history_finish(struct jit_history *history);

/*
 * Finds the function that was at `pc` at a time, by the jitdump's clock. With `time` NULL, and in a perf map, nobody knows which one
 * of several it was: then all that ever were there have to have one name. NULL: it is not known, or the history was asked for more
 * than its file is worth.
 */
const struct jit_function *jit_history_find(struct jit_history *history, uint64_t pc,
                                            const uint64_t *time);

#endif
