/* SPDX-License-Identifier: MIT */
/* What GDB itself knows of addresses: asked for through captured output. */
#ifndef CAIRN_GDB_QUERIES_GDB_SYMBOLS_H
#define CAIRN_GDB_QUERIES_GDB_SYMBOLS_H

#include "session/session.h"

/* Ask GDB for function and line of every spot of the trace that is not named; false: of none. */
bool gdb_symbols_request(struct command_call *call, struct trace *trace);

/* Take them from the captured output. */
void gdb_symbols_read(struct command_call *call, struct trace *trace, bool full_path);

/* The same of so many spots, none of which has the address of another. */
void gdb_symbols_read_spots(struct command_call *call, struct code_location *spots, size_t count,
                            bool full_path);

#endif
