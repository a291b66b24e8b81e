/* SPDX-License-Identifier: MIT */
/*
 * Handing symbols to GDB.  The symbols of a module become an ELF object in memory, at a descriptor
 * of its own that is sealed and never written again: GDB reads such a file anew when it looks
 * changed, and a debugger that reads half of something else ends.
 *
 * GDB is asked three times: what is loaded (queries/gdb_state.h); whether it has lines of its own for the
 * modules in question; and to take the objects.  A command begins with what the survey says, and
 * then goes on each time that it is called again:
 *
 *	loading_begin(call, every, quiet);
 *	loading_modules(call, survey, name);
 *	loading_continue(call);
 */
#ifndef CAIRN_GDB_LOADING_LOADING_H
#define CAIRN_GDB_LOADING_LOADING_H

#include "common/symbols/plan.h"
#include "queries/gdb_state.h"

/* The context of a command that loads symbols. */
struct loading {
	struct plan plan;
	struct cairn_program file; /* of the module that an object is made for */
};

/* Lets go of what was not handed over. */
void loading_finish(void *context);

/*
 * `every`: modules of which GDB has lines are left alone, and one without symbols is no error;
 * `quiet`: nothing is said when there is nothing to load.
 */
void loading_begin(struct command_call *call, bool every, bool quiet);

/* All modules, or those that are called so. */
void loading_modules(struct command_call *call, struct gdb_state *survey, const char *name);

/* One module: has GDB its symbols, are there some to be had? */
void loading_module(struct command_call *call, struct gdb_state *survey, size_t index,
                    const struct cairn_module *module);

/* Objects of modules that are gone (dlclose, another program) go, too. */
void loading_remove_stale(struct command_call *call, const struct gdb_state *survey);

/* What follows the survey. */
void loading_continue(struct command_call *call);

#endif
