/* SPDX-License-Identifier: MIT */
/* What GDB itself knows of addresses: asked for through captured output. */
#ifndef CAIRN_GDB_QUERIES_GDB_SYMBOLS_H
#define CAIRN_GDB_QUERIES_GDB_SYMBOLS_H

#include "session/session.h"

/* As struct debugger has it. */
enum answer gdb_symbols_name_spots(struct command_call *call, struct trace *trace, bool full_path);

/* Takes from the captured output what GDB knows of so many spots, none of which has the address of another. */
void gdb_symbols_read_spots(struct command_call *call, struct code_location *spots, size_t count,
                            bool full_path);

#endif
