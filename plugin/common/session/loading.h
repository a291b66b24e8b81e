/* SPDX-License-Identifier: MIT */
/*
 * Loading of symbols into the debugger: the plan of one load, the debugger's part of it (struct
 * symbol_loader), and the steps of the commands that load symbols.
 *
 * An object in memory is sealed and never written again, because a debugger rereads a file that
 * looks changed and would crash on a half-written one.
 */
#ifndef CAIRN_COMMON_SESSION_LOADING_H
#define CAIRN_COMMON_SESSION_LOADING_H

#include "common/base/text.h"
#include "common/session/session.h"
#include "common/session/sources.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LACKING_NAMED = 2, LACKING_NAME = 160 };

/* Zero-initialize it. The first modules are named, the others only counted. */
struct lacking_modules {
	struct {
		char name[LACKING_NAME]; /* if empty, the module is shown by `low` */
		uint64_t low;
		struct source_id id;
	} module[LACKING_NAMED];
	size_t count;
};

void lacking_add(struct lacking_modules *lacking, const struct cairn_module *module);

/*
 * Add "no symbols for NAME (build ID ab12): none beside it, ...; ADVICE" to the text. `directories`
 * is the value of the directory setting, or NULL.
 */
void lacking_write(const struct lacking_modules *lacking, const char *directories,
                   struct text *text);

/*
 * The plan of one symbol load: objects for the debugger to take, and objects to release. It
 * persists between the debugger's answers. The functions below fill it, and the debugger carries it
 * out.
 */
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

void plan_drop(struct plan *plan, struct plan_item *item);

/* Return true if the object's module is gone. plan->leaving counts such objects. */
bool plan_lets_go(const struct plan *plan, const struct source_object *object);

/* Drop the objects that plan->leaving counts, after the debugger has released them. */
void plan_drop_leaving(struct plan *plan);

/*
 * The interface through which a debugger gets symbols. Symbols of a module become an ELF object in
 * memory with its own descriptor. The common code decides which modules get one, and from which
 * file; the debugger takes the objects and releases them. Queries work as described for struct
 * debugger.
 */

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

/*
 * The context of a command that loads symbols begins with a struct loading. Its first step fills
 * loading->list and makes the plan as follows; the other steps are loading_ask_own(),
 * loading_take() and loading_report():
 *
 *	loading_begin(call, every, quiet);
 *	loading_targets(call, name);
 */
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

/* Mark the objects of unloaded modules (dlclose, another program) for removal. */
void loading_remove_stale(struct command_call *call);

/*
 * Command steps: drop the items for which the debugger has lines, hand over the remaining items,
 * and print the loaded ones.
 */
enum answer loading_ask_own(struct command_call *call);
enum answer loading_take(struct command_call *call);
enum answer loading_report(struct command_call *call);

/*
 * Modules without line information, which debuginfod may have. The program cairn queries the
 * servers and makes the files (`cairn gsym fetch`): inside a debugger, cairn neither uses the
 * network nor reads DWARF.
 */
struct missing_builds {
	char id[SOURCES_MAX][2 * SOURCES_ID + 1];
	size_t count;
};

/*
 * Find the modules in loading->list with this path or file name (NULL selects all) for which
 * neither the debugger nor the files that cairn finds have lines.
 */
void missing_builds_find(struct command_call *call, const char *name,
                         struct missing_builds *missing);

enum answer missing_builds_fetch(struct command_call *call, struct missing_builds *missing);

#ifdef __cplusplus
}
#endif

#endif
