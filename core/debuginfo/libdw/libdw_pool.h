/* SPDX-License-Identifier: MIT */
/*
 * The walks by libdw of one program.  libdw is not safe for threads, and each handle of it keeps a
 * copy of what it knows of all units: there are as many as the budget allows, at least one, and a
 * reader has one for the time of a unit.
 */
#ifndef CAIRN_DEBUGINFO_LIBDW_LIBDW_POOL_H
#define CAIRN_DEBUGINFO_LIBDW_LIBDW_POOL_H

#include "libdw_walk.h"

enum { LIBDW_POOL_MAX = 16 };

/* What a walk reads; `alt` and `alt_plain` are empty when there is no alternate file. */
struct libdw_files {
	const struct dwarf_file *plain, *alt_plain; /* alt_plain may be NULL */
	const struct dies_file *main, *alt;
};

struct libdw_pool {
	pthread_mutex_t lock;
	pthread_cond_t returned;
	struct libdw_reader *idle[LIBDW_POOL_MAX];
	unsigned idles, made; /* made: also those that are being opened */
	bool declined;        /* libdw is not there, or cannot read the file */
	bool is_measured;
	uint64_t memory, image; /* what a handle costs, in bytes */
};

void libdw_pool_open(struct libdw_pool *pool);
void libdw_pool_close(struct libdw_pool *pool);

/*
 * A handle for one unit, which libdw_pool_release() gives back; it draws from this budget.  NULL: there
 * is none to be had, or the budget is used up.  Waits when another reader has the last one.
 */
struct libdw_reader *libdw_pool_acquire(struct libdw_pool *pool, const struct libdw_files *files,
                                        struct budget *budget);
void libdw_pool_release(struct libdw_pool *pool, struct libdw_reader *libdw);

#endif
