/* SPDX-License-Identifier: MIT */
/* GDB's implementation of struct symbol_loader. */
#ifndef CAIRN_GDB_GDB_LOADER_H
#define CAIRN_GDB_GDB_LOADER_H

#include "common/session/loading.h"
#include "queries/session.h"

extern const struct symbol_loader gdb_loader;

/*
 * Search the program's directory and the user's symbol directories for libraries, and prepare each
 * library that has symbols. Does nothing if this program's directories have already been searched.
 * The command's context must begin with a struct loading.
 */
void prepared_libraries_search(struct command_call *call);

#endif
