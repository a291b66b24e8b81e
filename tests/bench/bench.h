/* SPDX-License-Identifier: MIT */
/*
 * Timing for the benchmarks.  Contenders run in turns and the best turn of each counts, so that
 * what else the machine does hits all alike; ratios are to be believed sooner than nanoseconds.
 *
 *	struct bench_run runs[] = { { "cairn", ours, &data }, { "the peer", theirs, &data } };
 *	bench_race(runs, 2, operations);
 *	bench_line("random pcs", &runs[0], &runs[1]);
 */
#ifndef CAIRN_BENCH_H
#define CAIRN_BENCH_H

#include <cairn.h>

struct bench_run {
	const char *name;
	void (*run)(void *context); /* all operations once */
	void *context;
	double best; /* ns for one operation */
};

/* Run each in turn, several times, and keep the best. */
void bench_race(struct bench_run *runs, size_t count, size_t operations);

/* Lines of one table; `theirs` NULL: nobody to compare with. */
void bench_title(const char *title);
void bench_line(const char *what, const struct bench_run *ours, const struct bench_run *theirs);

/* Keep the compiler from dropping a result that nobody reads. */
void bench_use(uint64_t value);

/* The same numbers in each run: xorshift. */
uint64_t bench_random(uint64_t *state);

/* The machine, in one line. */
void bench_machine(void);

/* A whole file; size 0 when it cannot be read. */
struct cairn_bytes bench_file(const char *name);
void bench_file_free(struct cairn_bytes bytes);

#endif
