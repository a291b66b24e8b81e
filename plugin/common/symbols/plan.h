/* SPDX-License-Identifier: MIT */
/*
 * The plan of one symbol load, kept from one answer of the debugger to the next: objects for it to take and
 * objects to release. It asks nobody; loading.h decides what goes in, the debugger does
 * it.
 */
#ifndef CAIRN_COMMON_SYMBOLS_PLAN_H
#define CAIRN_COMMON_SYMBOLS_PLAN_H

#include "common/symbols/lacking.h"
#include "common/symbols/sources.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For one module. */
struct plan_item {
	struct source_object object; /* fd -1: nothing to hand over */
	struct cairn_fault flaw;     /* in the file; OK: none */
	uint64_t sample;             /* pc of code with a line */
	bool moved;                  /* the debugger has it, for another place */
	bool renewed;                /* the debugger had an earlier state of it */
	bool twin;                   /* another inferior has this very object */
};

struct plan {
	struct sources *sources;
	struct plan_item item[SOURCES_MAX];
	size_t count;
	int inferior;
	bool alive;                     /* there is a process, or a core */
	size_t modules, without;        /* met; without symbols to be found */
	struct lacking_modules lacking; /* those without */
	size_t kept;                    /* in the debugger already */
	size_t own;                     /* of which the debugger has lines */
	size_t leaving;                 /* objects whose modules are gone */
	bool every;                     /* modules that the debugger has lines for are left alone */
	bool prepared; /* the debugger may have found what was prepared for a module */
	bool quiet;    /* nobody asked for it: nothing found is not reported */
};

/* A new one; what a command that was interrupted has left is let go of. */
void plan_begin(struct plan *plan, struct sources *sources, bool every, bool quiet);

/* This module gets nothing. */
void plan_drop(struct plan *plan, struct plan_item *item);

/* Is the object's module gone?  plan->leaving counts them. */
bool plan_lets_go(const struct plan *plan, const struct source_object *object);

/* The debugger has let go of what plan->leaving counts. */
void plan_drop_leaving(struct plan *plan);

/* Is there anything for the debugger to do? */
bool plan_has_work(const struct plan *plan);

#ifdef __cplusplus
}
#endif

#endif
