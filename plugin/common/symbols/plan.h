/* SPDX-License-Identifier: MIT */
/*
 * The plan of one symbol load: objects for the debugger to take, and objects to release. It
 * persists between the debugger's answers. loading.h fills it, and the debugger carries it out.
 */
#ifndef CAIRN_COMMON_SYMBOLS_PLAN_H
#define CAIRN_COMMON_SYMBOLS_PLAN_H

#include "common/symbols/lacking.h"
#include "common/symbols/sources.h"

#ifdef __cplusplus
extern "C" {
#endif

struct plan_item {
	struct source_object object; /* fd is -1 if there is nothing to hand over */
	struct cairn_fault flaw;     /* damage in the file, or status OK */
	uint64_t sample;
	bool moved;   /* the debugger has the object, at another address */
	bool renewed; /* the debugger had an earlier version of the object */
	bool twin;    /* another inferior has the same object */
};

struct plan {
	struct sources *sources;
	struct plan_item item[SOURCES_MAX];
	size_t count;
	int inferior;
	bool alive;              /* there is a process, or a core */
	size_t modules, without; /* number of modules considered, and of modules without symbols */
	struct lacking_modules lacking;
	size_t kept;    /* objects that are already in the debugger */
	size_t own;     /* modules for which the debugger has lines */
	size_t leaving; /* objects whose modules are gone */
	bool every;     /* skip modules for which the debugger has lines */
	bool prepared;  /* the debugger may have found prepared symbols of a module */
	bool quiet;     /* not requested by the user: do not report that nothing was found */
};

/* Begin a new plan, and release the objects left by an interrupted command. */
void plan_begin(struct plan *plan, struct sources *sources, bool every, bool quiet);

void plan_drop(struct plan *plan, struct plan_item *item);

/* Return true if the object's module is gone. plan->leaving counts such objects. */
bool plan_lets_go(const struct plan *plan, const struct source_object *object);

/* Drop the objects that plan->leaving counts, after the debugger has released them. */
void plan_drop_leaving(struct plan *plan);

bool plan_has_work(const struct plan *plan);

#ifdef __cplusplus
}
#endif

#endif
