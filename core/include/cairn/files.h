/* SPDX-License-Identifier: MIT */
/*
 * Part of <cairn.h>: data in a module's files that is not loaded into memory, such as .debug_frame,
 * the call frame information that only debuggers read.
 *
 *	struct cairn_module module;
 *	struct cairn_files *files = cairn_files_new(true);
 *	if (files && cairn_space_module(space, pc, &module) == CAIRN_OK) {
 *		cairn_files_find(files, &module);
 *		cairn_space_give_files(space, pc, files);
 *		if (cairn_space_in_files(space, pc).cfi)
 *			...            a debugger unwinds this frame by itself
 *	}
 */
#ifndef CAIRN_INCLUDE_FILES_H
#define CAIRN_INCLUDE_FILES_H

#include <cairn/base.h>
#include <cairn/space.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_files;

/*
 * Create an empty set of files. The caller frees the set or passes it on to
 * cairn_space_give_files(). If `symbols` is true, the set also records the addresses that the
 * files' symbol tables cover. Returns NULL if allocation fails.
 */
CAIRN_API struct cairn_files *cairn_files_new(bool symbols);

/*
 * Make the set record which functions are async functions of Swift, and the addresses that the
 * symbol tables cover. Call this before adding files.
 */
CAIRN_API void cairn_files_want_async(struct cairn_files *files);

/* Free the set. NULL is allowed. */
CAIRN_API void cairn_files_free(struct cairn_files *files);

/*
 * Return true if `file`, the bytes of an ELF file, is the module's file or a separate debug file
 * for the module. The build IDs decide; if either is missing, the module's first bytes are
 * compared instead. Set `named` if another file of the module refers to this file by
 * .gnu_debuglink. Such a debug file has different first bytes, so it is accepted if neither it nor
 * the module has a build ID.
 */
CAIRN_API bool cairn_files_are_of(const struct cairn_module *module, struct cairn_bytes file,
                                  bool named);

/*
 * Add the contents of one file, part by part. `file` contains the parts requested by
 * cairn_program_next_part(); *step is 0 before the first call. While the function returns true, the
 * caller reads the bytes of *part (offsets in the file) into the same offsets in `file` before the
 * next call, and sets `unread` if it could not read them. Returns false when the file is complete.
 *
 * A .debug_frame that is damaged, compressed, too large or unread is assumed to describe every
 * instruction, because cairn cannot know how a debugger will use it. For the same reason, a symbol
 * table with one of these problems is assumed to name every function.
 */
CAIRN_API bool cairn_files_part(struct cairn_files *files, struct cairn_bytes file, unsigned *step,
                                bool unread, struct cairn_range *part);

/*
 * Record the .sframe of a program that the host has open and that cairn_files_are_of() has
 * rejected. If a core lacks some of a module's memory, a debugger reads the missing memory from the
 * program that the user has passed. If that program is a different build, the .sframe that appears
 * in the module's memory comes from `file`, and cairn_space_in_files() sets `other`. Call this
 * function with `read` false, read the bytes of *part (offsets in the file) into the same offsets
 * in `file`, and call it again with `read` true. Returns false if there is nothing to read, or if
 * 64 files have already been recorded.
 */
CAIRN_API bool cairn_files_other_part(struct cairn_files *files, struct cairn_bytes file, bool read,
                                      struct cairn_range *part);

/* Return true if the set contains the module's own file. */
CAIRN_API bool cairn_files_have_program(const struct cairn_files *files);

/*
 * Return the name of the debug file from the .gnu_debuglink of the module's own file, or "" if the
 * set does not contain that file or the file lacks this section. The string belongs to the set.
 */
CAIRN_API const char *cairn_files_link(const struct cairn_files *files);

/*
 * Find a module's files and add their contents, for a host that is a debugger. Candidates are the
 * file at the path that the host has reported, the files that the calling process has open or
 * mapped, the file that the debugged process has mapped at the module's address, and the program's
 * debug files. As in GDB, debug files are searched for by .gnu_debuglink, and by build ID in
 * /usr/lib/debug/.build-id. cairn_files_are_of() decides whether a file belongs to the module.
 * Opens only regular files, reads only the required parts, and skips unreadable files.
 */
CAIRN_API void cairn_files_find(struct cairn_files *files, const struct cairn_module *module);

/*
 * Give the set to the module that contains `pc`, replacing that module's earlier set. The space
 * becomes the owner of the set and frees it with the module, or at once if no module contains `pc`.
 */
CAIRN_API void cairn_space_give_files(struct cairn_space *space, uint64_t pc,
                                      struct cairn_files *files);

/* Facts about one instruction from its module's files. */
struct cairn_in_files {
	bool given;    /* the module has a set; otherwise all other fields are false */
	bool symbols;  /* the set records symbol tables as well */
	bool program;  /* the set contains the module's own file */
	bool cfi;      /* a .debug_frame describes the instruction */
	bool function; /* a symbol names the instruction's function */
	bool other;    /* the .sframe in the module's memory comes from a different build's file */
};

/* Return the facts about the instruction at `pc` from its module's set. */
CAIRN_API struct cairn_in_files cairn_space_in_files(struct cairn_space *space, uint64_t pc);

#ifdef __cplusplus
}
#endif

#endif
