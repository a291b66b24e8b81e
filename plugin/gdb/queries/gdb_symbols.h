/* SPDX-License-Identifier: MIT */
/* Symbols of addresses as GDB knows them, queried through captured output. */
#ifndef CAIRN_GDB_QUERIES_GDB_SYMBOLS_H
#define CAIRN_GDB_QUERIES_GDB_SYMBOLS_H

#include "session/session.h"

/* Member of struct debugger. */
enum answer gdb_symbols_name_spots(struct command_call *call, struct trace *trace, bool full_path);

/* Read GDB's symbols for `count` spots from the captured output. */
void gdb_symbols_read_spots(struct command_call *call, struct code_location *spots, size_t count,
                            bool full_path);

#endif
