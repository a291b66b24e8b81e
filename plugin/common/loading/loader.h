/* SPDX-License-Identifier: MIT */
/*
 * The interface through which a debugger gets symbols. Symbols of a module become an ELF object in
 * memory with its own descriptor. The common code decides which modules get one, and from which
 * file; the debugger takes the objects and releases them. Queries work as described for struct
 * debugger.
 */
#ifndef CAIRN_COMMON_LOADING_LOADER_H
#define CAIRN_COMMON_LOADING_LOADER_H

#include "common/session/session.h"
#include "common/symbols/plan.h"

/* The debugger's modules, as of the last list_targets(). */
struct target_list {
	int inferior; /* number of the selected program */
	bool alive;   /* there is a process, or a core */
	size_t count;
};

struct symbol_target {
	struct cairn_module module; /* with the debugger's name for it */
	struct cairn_range text;
	/*
	 * its file, if the debugger looks its symbols up by build ID; NULL if they are added at an
	 * address
	 */
	const struct cairn_program *program;
	bool can_be_added;
};

struct symbol_loader {
	/*
	 * Advice on how to add symbols later that cannot be added now; starts with a semicolon, or is
	 * empty.
	 */
	const char *add_later;

	/*
	 * List the modules. Without a process there is one module, the program. `to_release` is
	 * true if the list is for release_objects().
	 */
	enum answer (*list_targets)(struct command_call *call, struct target_list *list,
	                            bool to_release);

	/*
	 * Read a module. Returns false if it cannot be read. The data in *target is valid until the
	 * next call.
	 */
	bool (*read_target)(struct command_call *call, size_t index, struct symbol_target *target);

	/* Return true if a module of this name is loaded, even if it cannot be read. */
	bool (*has_module)(struct command_call *call, const char *name);

	/*
	 * Return true if there is anything to load symbols for; otherwise report that there is not.
	 */
	bool (*check_targets)(struct command_call *call);

	/*
	 * Return true while the debugger is reading the program's file and so cannot read it again.
	 */
	bool (*is_reading)(void);

	/* Adjust the object options for this debugger; may be NULL. */
	void (*set_options)(struct command_call *call, const struct symbol_target *target,
	                    struct cairn_object_options *options);

	/* Return true if an object without symbols is useful for its frames. NULL means never. */
	bool (*wants_frames)(struct command_call *call, const struct symbol_target *target);

	/*
	 * Wait for a module that is not loaded yet, because the user gave a table for it. Set if
	 * wants_frames is.
	 */
	void (*await_frames)(struct session *session);

	/*
	 * Put an object where the debugger looks it up. Returns false with *why on failure. May be
	 * NULL.
	 */
	bool (*place_object)(struct command_call *call, const struct plan_item *item,
	                     const char **why);

	/*
	 * Prepare the symbols of a library that is not loaded yet as its debug file, so that the
	 * debugger finds them when it loads the library. GDB needs the library's file for this,
	 * identified by its build ID; `named` is a path to try, or NULL. Returns false without a
	 * report if the file is not found. NULL if the debugger cannot do this.
	 */
	bool (*prepare_library)(struct command_call *call, const char *symbols,
	                        struct cairn_bytes build_id, uint64_t offset, const char *named);

	/*
	 * Return true if prepare_library() prepared symbols for this module, so that the debugger
	 * may have its lines. NULL means never.
	 */
	bool (*is_prepared)(struct command_call *call, const struct symbol_target *target);

	/* Print the libraries that were prepared or wait for the next stop; may be NULL. */
	void (*print_prepared)(struct command_call *call);

	/*
	 * Plan an object of the process's JIT code. Called after loading_remove_stale(). May be
	 * NULL.
	 */
	void (*plan_code)(struct command_call *call, struct plan *plan);

	/*
	 * Release the objects that plan->leaving counts, and drop the items for which the debugger
	 * has lines of its own.
	 */
	enum answer (*ask_own_lines)(struct command_call *call, struct plan *plan);

	enum answer (*take_objects)(struct command_call *call, struct plan *plan);

	/* Release the inferior's objects that are no longer `present`. */
	enum answer (*release_objects)(struct command_call *call, const struct target_list *list);

	/*
	 * Run the program cairn, which accesses the network and stores files in the cache. `words`
	 * ends with NULL and must not contain quotes.
	 */
	enum answer (*run_program)(struct command_call *call, const char *const *words);

	/* Retry failed searches after the search directories have changed. May be NULL. */
	void (*look_again)(struct session *session);
};

#endif
