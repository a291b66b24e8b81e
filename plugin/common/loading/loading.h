/* SPDX-License-Identifier: MIT */
/*
 * Loading symbols into the debugger: which modules get which, and the steps of the commands that do it.
 * An object in memory is sealed and never written again: a debugger reads such a file anew when it
 * looks changed, and one that reads half of something else ends.
 *
 * The context of such a command begins with a struct loading.  Its first step fills loading->list
 * (loader.h) and makes the plan; the others are those below:
 *
 *	loading_begin(call, every, quiet);
 *	loading_targets(call, name);
 */
#ifndef CAIRN_COMMON_LOADING_LOADING_H
#define CAIRN_COMMON_LOADING_LOADING_H

#include "common/loading/loader.h"

#ifdef __cplusplus
extern "C" {
#endif

struct loading {
	struct plan plan;
	struct target_list list;
	struct cairn_program file; /* of the module that an object is made for */
	bool asked_own, taking;    /* steps that have begun */
};

/* Lets go of what was not handed over. */
void loading_finish(void *context);

/*
 * `every`: modules of which the debugger has lines are left alone, and one without symbols is not an error;
 * `quiet`: nothing is printed when there is nothing to load.
 */
void loading_begin(struct command_call *call, bool every, bool quiet);

/* All modules, or those that are called so. */
void loading_targets(struct command_call *call, const char *name);

/* One module: has the debugger its symbols, are there some to be had? */
void loading_target(struct command_call *call, const struct symbol_target *target);

/* The machine as ELF numbers it; 0: none that is known. */
uint16_t loading_elf_machine(enum cairn_machine machine);

/* What an object for a module is made from, but for the symbols; `file`: the module's own, or NULL. */
void loading_fill_options(const struct symbol_target *target, const struct cairn_program *file,
                          struct cairn_object_options *options);

/* The module's symbols as an object at a descriptor of *item; false with *why. */
bool loading_make_object(struct command_call *call, const struct symbol_target *target,
                         const struct source_hit *hit, struct plan_item *item, const char **why);

/* Where the symbols know a line: a pc to ask the debugger about, too.  0: they know none. */
uint64_t loading_find_sample(const struct symbol_target *target, const struct source_hit *hit);

/* Objects of modules that are gone (dlclose, another program) go, too. */
void loading_remove_stale(struct command_call *call);

/* Steps: leave out what the debugger has lines for, hand the rest over, print what was loaded. */
enum answer loading_ask_own(struct command_call *call);
enum answer loading_take(struct command_call *call);
enum answer loading_report(struct command_call *call);

#ifdef __cplusplus
}
#endif

#endif
