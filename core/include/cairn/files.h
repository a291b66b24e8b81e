/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: what the files of a module hold that memory does not, such as .debug_frame, the
 * call frame information that only debuggers read.
 */
#ifndef CAIRN_INCLUDE_FILES_H
#define CAIRN_INCLUDE_FILES_H

#include <cairn/base.h>
#include <cairn/space.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of one module: of its own file, and of those that its debug information was moved to. */
struct cairn_files;

/* NULL when memory is short.  `symbols`: their symbols of functions are wanted, too. */
CAIRN_API struct cairn_files *cairn_files_new(bool symbols);
CAIRN_API void cairn_files_free(struct cairn_files *files);

/* Is it the module's own file, or one that was split off it?  `named`: another file says so. */
CAIRN_API bool cairn_files_are_of(const struct cairn_module *module, struct cairn_bytes file,
                                  bool named);

/*
 * Takes in what one of them holds, whose bytes are those that cairn_program_next_part() names.  Each call
 * gives a further part that the caller reads into its place before the next call; false: that was all.
 * *step begins with 0.  `unread`: the part of the call before could not be read.
 *
 * A .debug_frame that is damaged, compressed, too large or unread counts as describing every
 * instruction: what a debugger makes of it is not known.  So does a table of symbols.
 */
CAIRN_API bool cairn_files_part(struct cairn_files *files, struct cairn_bytes file, unsigned *step,
                                bool unread, struct cairn_range *part);

/* Is the module's own file among those taken in?  Its name for its debug file, "" for none. */
CAIRN_API bool cairn_files_have_program(const struct cairn_files *files);
CAIRN_API const char *cairn_files_link(const struct cairn_files *files);

/*
 * Finds the files of a module as a debugger sees them that is this very process, and adds what they
 * hold: files that the process has open or mapped, the file that a process it traces has mapped at
 * the module's place, and where these say that debug information was moved to.  A file belongs to the
 * module by its build ID, or else by its first bytes.  Nothing but regular files is opened, and only
 * what is needed is read of them.
 */
CAIRN_API void cairn_files_find(struct cairn_files *files, const struct cairn_module *module);

/*
 * Keep `files` with the module that holds `pc`, as long as that is there; they belong to the space
 * from now on.  Without such a module they are freed.
 */
CAIRN_API void cairn_space_give_files(struct cairn_space *space, uint64_t pc,
                                      struct cairn_files *files);

/* What they tell of one instruction. */
struct cairn_in_files {
	bool given;    /* they were given: else nothing is known */
	bool symbols;  /* with their symbols */
	bool program;  /* the module's own file is among them */
	bool cfi;      /* .debug_frame of one of them describes the instruction */
	bool function; /* a symbol of one of them names the function that it belongs to */
};

CAIRN_API struct cairn_in_files cairn_space_in_files(struct cairn_space *space, uint64_t pc);

#ifdef __cplusplus
}
#endif

#endif
