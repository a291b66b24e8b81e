/* SPDX-License-Identifier: MIT */
/*
 * Shows the progress of long work as one line on standard error, if that is a terminal. The line
 * appears after one second, is redrawn ten times a second, and is erased at the end.
 *
 *	struct progress progress = progress_begin(path, "functions", quiet);
 *	... progress_update(&progress, done, all);
 *	progress_end(&progress);
 *
 * Call progress_end() before any other output as well; the next update shows the line again. For
 * work of unknown size, such as reading a pipe, use progress_count(&progress, done). The
 * environment variable CAIRN_PROGRESS_AFTER overrides the initial delay in seconds. Not
 * thread-safe.
 */
#ifndef CAIRN_CLI_FRONT_PROGRESS_H
#define CAIRN_CLI_FRONT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	/* name of the file, and unit of the counts, such as "functions" */
	const char *what, *units;
	uint64_t next; /* time of the next redraw, in milliseconds of CLOCK_MONOTONIC */
	bool on, shown;
};

struct progress progress_begin(const char *what, const char *units, bool quiet);
/*
 * Like progress_begin(), but show no progress if standard output is a terminal, too. For verbs that
 * print results while they work.
 */
struct progress progress_begin_aside(const char *what, const char *units, bool quiet);
void progress_update(struct progress *progress, uint64_t done, uint64_t all);
void progress_count(struct progress *progress, uint64_t done);
void progress_end(struct progress *progress);

#endif
