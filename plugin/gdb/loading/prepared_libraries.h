/* SPDX-License-Identifier: MIT */
/*
 * Libraries that GDB has not loaded, and whose symbols are known.  GDB looks the debug file of a library up by its
 * build ID when the dynamic linker loads it, without a stop that a module could use.  So the object is made
 * before, and put into a folder that is one of GDB's debug-file-directories.  Its sections are those of the
 * library's file, which must be at hand.
 */
#ifndef CAIRN_GDB_LOADING_PREPARED_LIBRARIES_H
#define CAIRN_GDB_LOADING_PREPARED_LIBRARIES_H

#include "common/loading/loader.h"

/* Members of struct symbol_loader. */
bool prepared_libraries_prepare(struct command_call *call, const char *symbols,
                                struct cairn_bytes build_id, uint64_t offset, const char *named);
bool prepared_libraries_has(struct command_call *call, const struct symbol_target *target);
void prepared_libraries_print(struct command_call *call);

/*
 * Prepares the libraries beside the program and in the folders of the setting directory, as far as there are symbols of them; once
 * for a program.  The context of the command begins with a struct loading.
 */
void prepared_libraries_search(struct command_call *call);

#endif
