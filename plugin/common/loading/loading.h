/* SPDX-License-Identifier: MIT */
/*
 * Loading of symbols into the debugger: the choice of symbols for each module, and the steps of the
 * commands that load them. An object in memory is sealed and never written again, because a
 * debugger rereads a file that looks changed and would crash on a half-written one.
 *
 * The context of such a command begins with a struct loading. Its first step fills loading->list
 * (loader.h) and makes the plan as follows; the other steps are loading_ask_own(), loading_take()
 * and loading_report():
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
	struct cairn_program file; /* file of the module that an object is made for */
	bool asked_own, taking;
};

/* Release the objects that were not handed over, and free the plan. */
void loading_finish(void *context);

/*
 * Begin a plan. With `every`, modules for which the debugger has lines are skipped, and a module
 * without symbols is not an error. With `quiet`, nothing is printed if there is nothing to load.
 */
void loading_begin(struct command_call *call, bool every, bool quiet);

/* Plan all modules, or only the modules with this path or file name. */
void loading_targets(struct command_call *call, const char *name);

/* Plan one module, unless the debugger has its symbols or no symbols are found. */
void loading_target(struct command_call *call, const struct symbol_target *target);

/* Return the machine number of ELF, or 0 if it is unknown. */
uint16_t loading_elf_machine(enum cairn_machine machine);

/*
 * Fill in the object options for a module, except for the symbols. `file` describes the module's
 * own file, or is NULL.
 */
void loading_fill_options(const struct symbol_target *target, const struct cairn_program *file,
                          struct cairn_object_options *options);

/*
 * Make an object of the module's symbols, with a descriptor in *item. Returns false with *why on
 * failure.
 */
bool loading_make_object(struct command_call *call, const struct symbol_target *target,
                         const struct source_hit *hit, struct plan_item *item, const char **why);

/*
 * Return a pc for which the symbols know a line, or 0. The debugger is then queried for the line of
 * the same pc.
 */
uint64_t loading_find_sample(const struct symbol_target *target, const struct source_hit *hit);

/* Mark the objects of unloaded modules (dlclose, another program) for removal. */
void loading_remove_stale(struct command_call *call);

/*
 * Command steps: drop the items for which the debugger has lines, hand over the remaining items,
 * and print the loaded ones.
 */
enum answer loading_ask_own(struct command_call *call);
enum answer loading_take(struct command_call *call);
enum answer loading_report(struct command_call *call);

#ifdef __cplusplus
}
#endif

#endif
