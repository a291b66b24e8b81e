/* SPDX-License-Identifier: MIT */
/*
 * Symbols of libraries that GDB has not loaded yet. When the dynamic linker loads a library, GDB
 * looks up its debug file by build ID, without a stop at which this module could act. The object is
 * therefore made in advance and put into one of GDB's debug-file-directories. It needs the sections
 * of the library's file, so that file must exist.
 */
#ifndef CAIRN_GDB_LOADING_PREPARED_LIBRARIES_H
#define CAIRN_GDB_LOADING_PREPARED_LIBRARIES_H

#include "common/session/loading.h"

/* Members of struct symbol_loader. */
bool prepared_libraries_prepare(struct command_call *call, const char *symbols,
                                struct cairn_bytes build_id, uint64_t offset, const char *named);
bool prepared_libraries_has(struct command_call *call, const struct symbol_target *target);
void prepared_libraries_print(struct command_call *call);

/*
 * Search the program's directory and the directories of the directory setting for libraries, and
 * prepare each library whose symbols are found. Does nothing if the program's libraries were
 * searched before. The context of the command begins with a struct loading.
 */
void prepared_libraries_search(struct command_call *call);

#endif
