/* SPDX-License-Identifier: MIT */
/*
 * Loads symbols into the debugger. Defines the plan for one load, the interface that each debugger
 * implements (struct symbol_loader), and the steps of commands that load symbols.
 *
 * Symbols are handed over as sealed files in memory (objects) that are never modified, because a
 * debugger rereads files that have changed and could crash on a partially written one.
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

/*
 * Modules without symbols, initialized with zeros. The first LACKING_NAMED modules are listed by
 * name; all further modules are only counted.
 */
struct lacking_modules {
	struct {
		/* module name; if empty, the module is shown by its address `low` */
		char name[LACKING_NAME];
		uint64_t low;
		struct source_id id;
	} module[LACKING_NAMED];
	size_t count;
};

void lacking_add(struct lacking_modules *lacking, const struct cairn_module *module);

/*
 * Add a message of the form "no symbols for NAME (build ID HEX): none beside it, ...; ADVICE" to
 * `text`. `directories` is the value of the directory setting, or NULL.
 */
void lacking_write(const struct lacking_modules *lacking, const char *directories,
                   struct text *text);

/*
 * The plan for one symbol load: objects to hand to the debugger, and objects to release. The plan
 * persists while the debugger answers queries. The functions below fill the plan, and the debugger
 * carries it out.
 */
struct plan_item {
	struct source_object object; /* `fd` is -1 if there is no object to hand over */
	struct cairn_fault flaw;     /* damage in the symbol file; CAIRN_OK if undamaged */
	uint64_t sample;
	bool moved;   /* the debugger has the object, but at a different address */
	bool renewed; /* the object replaces an earlier version in the debugger */
	bool twin;    /* the object is shared with another inferior */
};

struct plan {
	struct sources *sources;
	struct plan_item item[SOURCES_MAX];
	size_t count;
	int inferior;
	bool alive; /* a process or a core exists */
	size_t modules, without;
	struct lacking_modules lacking;
	size_t kept;    /* number of objects that the debugger already has */
	size_t own;     /* number of modules for which the debugger has its own line table */
	size_t leaving; /* number of objects whose modules have been unloaded */
	/* all modules were requested; skip those for which the debugger has line tables */
	bool every;
	bool prepared; /* the debugger may already use symbols prepared by prepare_library() */
	bool quiet;    /* this is an automatic load, so do not report that nothing was found */
};

void plan_drop(struct plan *plan, struct plan_item *item);

/* Return true if the object's module has been unloaded. plan->leaving counts such objects. */
bool plan_lets_go(const struct plan *plan, const struct source_object *object);

/* Remove the objects that plan->leaving counts, after the debugger has released them. */
void plan_drop_leaving(struct plan *plan);

/*
 * The interface through which a debugger gets symbols. A module's symbols are converted to an ELF
 * object in memory with its own descriptor. The shared code decides which modules get an object and
 * from which symbol file; the plugin makes the debugger load and release objects. Queries work as
 * in struct debugger.
 */

struct target_list {
	int inferior;
	bool alive;
	size_t count;
};

struct symbol_target {
	struct cairn_module module; /* module, named as in the debugger */
	struct cairn_range text;
	/*
	 * the module's file if the debugger finds symbols by build ID; NULL if they are added at an
	 * address
	 */
	const struct cairn_program *program;
	bool can_be_added;
};

struct symbol_loader {
	/*
	 * Advice to print if symbols can only be added later. It is empty or starts with a
	 * semicolon.
	 */
	const char *add_later;

	/*
	 * List the modules. Without a process, the program is the only module. `to_release` is true
	 * if the caller uses the list for release_objects().
	 */
	enum answer (*list_targets)(struct command_call *call, struct target_list *list,
	                            bool to_release);

	/*
	 * Describe the module with this index. Returns false if it cannot be read. The data in
	 * *target is valid until the next call.
	 */
	bool (*read_target)(struct command_call *call, size_t index, struct symbol_target *target);

	/* Return true if a module with this name is loaded, even if it cannot be described. */
	bool (*has_module)(struct command_call *call, const char *name);

	/* Return true if symbols can be loaded for any module; otherwise report an error. */
	bool (*check_targets)(struct command_call *call);

	/*
	 * Return true while the debugger is reading the program's file and thus cannot reread it.
	 */
	bool (*is_reading)(void);

	/* Adapt an object's options to this debugger. May be NULL. */
	void (*set_options)(struct command_call *call, const struct symbol_target *target,
	                    struct cairn_object_options *options);

	/*
	 * Return true if an object without symbols is useful because of its call frame information.
	 * NULL if the debugger never needs such objects.
	 */
	bool (*wants_frames)(struct command_call *call, const struct symbol_target *target);

	/*
	 * Wait for a module that is not loaded yet and for which the user has specified an SFrame
	 * file. Required if wants_frames is set.
	 */
	void (*await_frames)(struct session *session);

	/*
	 * Put an object into a directory that the debugger searches for debug files. Returns false
	 * and sets *why on failure. May be NULL.
	 */
	bool (*place_object)(struct command_call *call, const struct plan_item *item,
	                     const char **why);

	/*
	 * Prepare symbols for a library that is not loaded yet, so that the debugger finds them as
	 * the library's debug file when it loads the library. GDB needs the library's own file,
	 * which is identified by its build ID; `named` is a path to try first, or NULL. Returns
	 * false, without reporting an error, if the library's file is not found. NULL if the
	 * debugger does not support this.
	 */
	bool (*prepare_library)(struct command_call *call, const char *symbols,
	                        struct cairn_bytes build_id, uint64_t offset, const char *named);

	/*
	 * Return true if prepare_library() has prepared symbols for this module, so that the
	 * debugger may already have its lines. NULL if that is impossible.
	 */
	bool (*is_prepared)(struct command_call *call, const struct symbol_target *target);

	/*
	 * Print the libraries that have been prepared or that wait for the next stop. May be NULL.
	 */
	void (*print_prepared)(struct command_call *call);

	/*
	 * Plan an object for the process's JIT code. Called after loading_remove_stale(). May be
	 * NULL.
	 */
	void (*plan_code)(struct command_call *call, struct plan *plan);

	/*
	 * Release the objects that plan->leaving counts, and remove from the plan the modules for
	 * which the debugger has its own line tables.
	 */
	enum answer (*ask_own_lines)(struct command_call *call, struct plan *plan);

	enum answer (*take_objects)(struct command_call *call, struct plan *plan);

	/* Release this inferior's objects that are no longer `present`. */
	enum answer (*release_objects)(struct command_call *call, const struct target_list *list);

	/*
	 * Run the program cairn, which downloads files into the cache. `words` ends with NULL and
	 * must not contain quotes.
	 */
	enum answer (*run_program)(struct command_call *call, const char *const *words);

	/* Repeat failed searches after a change of the search directories. May be NULL. */
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
	struct cairn_program file; /* file of the module whose object is being created */
	bool asked_own, taking;
};

/* Release objects that have not been handed over, and free the plan. */
void loading_finish(void *context);

/*
 * Begin a plan. `every` means that the plan is for all modules, so that modules for which the
 * debugger has line tables are skipped, and a module without symbols is not an error. If `quiet` is
 * true, nothing is printed if no symbols are found.
 */
void loading_begin(struct command_call *call, bool every, bool quiet);

/* Plan all modules if `name` is NULL, otherwise the modules with this path or file name. */
void loading_targets(struct command_call *call, const char *name);

/* Plan one module. Does nothing if the debugger already has its symbols or if none are found. */
void loading_target(struct command_call *call, const struct symbol_target *target);

/* Return the ELF machine number (EM_*), or 0 if the machine is unknown. */
uint16_t loading_elf_machine(enum cairn_machine machine);

/*
 * Fill in the object options for a module, except for the symbols. `file` describes the module's
 * own file, or is NULL.
 */
void loading_fill_options(const struct symbol_target *target, const struct cairn_program *file,
                          struct cairn_object_options *options);

/*
 * Create an object with the module's symbols and store its descriptor in *item. Returns false and
 * sets *why on failure.
 */
bool loading_make_object(struct command_call *call, const struct symbol_target *target,
                         const struct source_hit *hit, struct plan_item *item, const char **why);

/*
 * Mark the objects of unloaded modules for removal. Modules are unloaded by dlclose() or when
 * another program is run.
 */
void loading_remove_stale(struct command_call *call);

/*
 * Command steps: remove from the plan the modules for which the debugger has its own line tables,
 * hand over the remaining objects, and report the result.
 */
enum answer loading_ask_own(struct command_call *call);
enum answer loading_take(struct command_call *call);
enum answer loading_report(struct command_call *call);

/*
 * Modules without line tables, for which debuginfod may have debug information. The program cairn
 * queries the servers and creates the symbol files (`cairn gsym fetch`), because cairn neither
 * accesses the network nor parses DWARF inside a debugger.
 */
struct missing_builds {
	char id[SOURCES_MAX][2 * SOURCES_ID + 1];
	size_t count;
};

/*
 * Find the modules in loading->list with this path or file name (NULL selects all) that have no
 * line table in the debugger or in files that cairn finds.
 */
void missing_builds_find(struct command_call *call, const char *name,
                         struct missing_builds *missing);

enum answer missing_builds_fetch(struct command_call *call, struct missing_builds *missing);

#ifdef __cplusplus
}
#endif

#endif
