/* SPDX-License-Identifier: MIT */
/*
 * Symbols of JIT code from a perf map or jitdump. Each process has one object at the addresses of
 * the process. It is replaced when the file has grown, and removed with the process. A process is
 * considered only if this GDB traces it, because only then is its pid known to belong to this
 * machine.
 */
#ifndef CAIRN_GDB_JIT_CODE_H
#define CAIRN_GDB_JIT_CODE_H

#include "common/session/loading.h"
#include "queries/session.h"

/*
 * Member of struct symbol_loader. Uses the list of inferiors that GDB printed with its list of
 * files.
 */
void jit_code_plan(struct command_call *call, struct plan *plan);

/*
 * Return true if the file has changed or appeared since the plan was made. Looks at most once at
 * the file and once at the process.
 */
bool jit_code_changed(struct gdb_session *session, int inferior);

#endif
