/* SPDX-License-Identifier: MIT */
/*
 * Code that the process has made at run time (JIT), by its perf map or jitdump: one object of symbols for a process, at
 * the addresses of the process, which is made anew when the file has grown, and goes with the process.  A process
 * counts when this GDB traces it, because then its number is one of this machine.
 */
#ifndef CAIRN_GDB_LOADING_JIT_CODE_H
#define CAIRN_GDB_LOADING_JIT_CODE_H

#include "common/symbols/plan.h"

#include "session/session.h"

/* Member of struct symbol_loader; which process it is, GDB was asked with the state of its files. */
void jit_code_plan(struct command_call *call, struct plan *plan);

/* Has the file changed since the plan was made, or one come?  At most one look at it, and one at the process. */
bool jit_code_changed(struct gdb_session *session, int inferior);

#endif
