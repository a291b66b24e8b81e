/* SPDX-License-Identifier: MIT */
/*
 * How far a long work is, on a terminal: one line on standard error that is written over, from a
 * second after the beginning, ten times a second, and gone at the end.  Elsewhere nothing.
 *
 *	struct progress progress = progress_begin(path, "functions", quiet);
 *	... progress_update(&progress, done, all);
 *	progress_end(&progress);
 *
 * progress_end() before other output, too: the next update shows the line again.
 * What has no known end, such as a pipe, is counted instead: progress_count(&progress, done).
 * The environment's CAIRN_PROGRESS_AFTER is another number of seconds to wait.  Not for several
 * threads at once.
 */
#ifndef CAIRN_CLI_FRONT_PROGRESS_H
#define CAIRN_CLI_FRONT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *what, *units; /* a file, and what of it is counted */
	uint64_t next;            /* when to write, in milliseconds of the monotonic clock */
	bool on, shown;
};

struct progress progress_begin(const char *what, const char *units, bool quiet);
/* The same for a verb that prints its answer meanwhile: nothing where the answer itself is on a terminal. */
struct progress progress_begin_aside(const char *what, const char *units, bool quiet);
void progress_update(struct progress *progress, uint64_t done, uint64_t all);
void progress_count(struct progress *progress, uint64_t done);
void progress_end(struct progress *progress);

#endif
