/* SPDX-License-Identifier: MIT */
/*
 * What a walk shows to be in use of a thread's stacks. A thread may have several: a signal's handler may run on a stack of
 * its own, and code may change to another one. stack_runs_take() is called for each frame, from the innermost one
 * outwards, and stack_runs_extend() if the walk did not reach the outermost frame.
 */
#ifndef CAIRN_PROCESS_CAPTURE_STACK_RUNS_H
#define CAIRN_PROCESS_CAPTURE_STACK_RUNS_H

#include "model/snapshot.h"

enum { STACK_RUNS_MAX = 16 };

struct stack_runs {
	const struct snapshot *snapshot;
	struct cairn_range run[STACK_RUNS_MAX];
	size_t count;
	size_t last;  /* that the last frame is on */
	uint64_t cfa; /* of the last frame */
	bool scarce;  /* there were more stacks than runs */
};

/* Add a frame, whose caller's registers lie between its stack pointer and its CFA. 0 stands for an unknown stack pointer or CFA. */
void stack_runs_take(struct stack_runs *runs, uint64_t sp, uint64_t cfa, bool signal);

/* Nobody knows how much is in use of the last frame's stack: at most so much of it. */
void stack_runs_extend(struct stack_runs *runs, uint64_t most);

#endif
