/* SPDX-License-Identifier: MIT */
/*
 * How a debugger is given symbols.  Symbols of a module become an ELF object in memory, at a descriptor
 * of its own; which modules get one, and from which file, is decided here, and the debugger takes the
 * objects and lets go of them.  Questions are asked as those of struct debugger are.
 */
#ifndef CAIRN_COMMON_LOADING_LOADER_H
#define CAIRN_COMMON_LOADING_LOADER_H

#include "common/session/session.h"
#include "common/symbols/plan.h"

/* What the debugger has loaded now. */
struct target_list {
	int inferior; /* the number of the program that is selected */
	bool alive;   /* there is a process, or a core */
	size_t count; /* modules */
};

/* One of its modules. */
struct symbol_target {
	struct cairn_module module;          /* with the debugger's name for it */
	struct cairn_range text;             /* its code */
	const struct cairn_program *program; /* its file, if the debugger looks symbols up for it
	                                        by build ID; else NULL, and they are added */
	bool can_be_added;
};

struct symbol_loader {
	/* How symbols that cannot be added now can be, after a semicolon; empty: not at all. */
	const char *add_later;

	/* Without a process there is one module, the program.  `to_release`: for release_objects(). */
	enum answer (*list_targets)(struct command_call *call, struct target_list *list,
	                            bool to_release);

	/* False: it cannot be read.  What it points to is kept until the next one is read. */
	bool (*read_target)(struct command_call *call, size_t index, struct symbol_target *target);

	/* Is a module of this name there, be it one that cannot be read? */
	bool (*has_module)(struct command_call *call, const char *name);

	/* Is there something to load symbols for?  Reports it when there is not. */
	bool (*check_targets)(struct command_call *call);

	/* Is the debugger just reading the program's file, so that it cannot read it again? */
	bool (*is_reading)(void);

	/* Changes how the object is made for this debugger; NULL: nothing. */
	void (*set_options)(struct command_call *call, const struct symbol_target *target,
	                    struct cairn_object_options *options);

	/* Is an object of use without any symbols, for the frames in it?  NULL: no. */
	bool (*wants_frames)(struct command_call *call, const struct symbol_target *target);

	/* The user has named a table for a module that may come; with wants_frames alone. */
	void (*await_frames)(struct session *session);

	/* Puts an object where the debugger looks it up; false with *why.  NULL: nothing to do. */
	bool (*place_object)(struct command_call *call, const struct plan_item *item,
	                     const char **why);

	/*
	 * Makes symbols of a library that is not loaded yet the library's debug file, so that the debugger finds
	 * them itself when it comes.  In GDB the library's file must be at hand, which a build ID proves; `named`: it may
	 * be there, or NULL.  False, with nothing reported: it is not.  NULL: never.
	 */
	bool (*prepare_library)(struct command_call *call, const char *symbols,
	                        struct cairn_bytes build_id, uint64_t offset, const char *named);

	/* Was that done for this module?  Then the debugger may have its lines.  NULL: never. */
	bool (*is_prepared)(struct command_call *call, const struct symbol_target *target);

	/* Prints the libraries that were prepared, or wait for the next stop.  NULL: there are none. */
	void (*print_prepared)(struct command_call *call);

	/*
	 * Plans an object of the code that the process has made at run time; after loading_remove_stale().  NULL:
	 * never.
	 */
	void (*plan_code)(struct command_call *call, struct plan *plan);

	/* Lets go of what plan->leaving counts, and drops the items that the debugger has lines for. */
	enum answer (*ask_own_lines)(struct command_call *call, struct plan *plan);

	/* Takes the objects; those that it does not take are dropped, and reported. */
	enum answer (*take_objects)(struct command_call *call, struct plan *plan);

	/* Lets go of the inferior's objects that are not `present` any more. */
	enum answer (*release_objects)(struct command_call *call, const struct target_list *list);

	/*
	 * Runs the program cairn, which has the network and puts files into the cache.  `words` end with NULL, and
	 * none has a quote in it.
	 */
	enum answer (*run_program)(struct command_call *call, const char *const *words);

	/* Where files are looked for has changed: what was not found may be there.  NULL: nothing to do. */
	void (*look_again)(struct session *session);
};

#endif
