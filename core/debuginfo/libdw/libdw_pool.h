/* SPDX-License-Identifier: MIT */
/*
 * The walks by libdw of one program.  libdw is not safe for threads, and each handle of it keeps a
 * copy of what it knows of all units: there are as many as the budget allows, at least one, and a
 * reader has one for the time of a unit.
 */
#ifndef CAIRN_DEBUGINFO_LIBDW_LIBDW_POOL_H
#define CAIRN_DEBUGINFO_LIBDW_LIBDW_POOL_H

#include "libdw_walk.h"

enum { SLOW_POOL_MAX = 16 };

/* What a walk reads; `alt` and `alt_plain` are empty when there is no alternate file. */
struct slow_files {
	const struct plain *plain, *alt_plain; /* alt_plain may be NULL */
	const struct dies_file *main, *alt;
};

struct slow_pool {
	pthread_mutex_t lock;
	pthread_cond_t returned;
	struct slow *idle[SLOW_POOL_MAX];
	unsigned idles, made; /* made: also those that are being opened */
	bool declined;        /* libdw is not there, or cannot read the file */
	bool is_measured;
	uint64_t memory, image; /* what a handle costs, in bytes */
};

void slow_pool_open(struct slow_pool *pool);
void slow_pool_close(struct slow_pool *pool);

/*
 * A handle for one unit, which slow_pool_return() gives back; it draws from this budget.  NULL: there
 * is none to be had, or the budget is used up.  Waits when another reader has the last one.
 */
struct slow *slow_pool_take(struct slow_pool *pool, const struct slow_files *files,
                            struct budget *budget);
void slow_pool_return(struct slow_pool *pool, struct slow *slow);

#endif
