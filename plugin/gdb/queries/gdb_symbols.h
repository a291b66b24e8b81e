/* SPDX-License-Identifier: MIT */
/* What GDB itself knows of addresses: asked for through captured output. */
#ifndef CAIRN_GDB_QUERIES_GDB_SYMBOLS_H
#define CAIRN_GDB_QUERIES_GDB_SYMBOLS_H

#include "session/session.h"

void trace_start(struct trace *trace);

/* One more spot; NULL when memory is short or there are too many. */
struct code_location *trace_add(struct trace *trace);

/* Let go of all but the last ones. */
void trace_keep_last(struct trace *trace, size_t count);

/* Ask GDB for function and line of every spot of the trace. */
void gdb_symbols_request(struct command_call *call);

/* Take them from the captured output. */
void gdb_symbols_read(struct command_call *call, bool full_path);

#endif
