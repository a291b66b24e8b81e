/* SPDX-License-Identifier: MIT */
/*
 * Symbols for JIT code from a perf map or jitdump. Each process has one object. It is linked at the
 * code's addresses in the process, replaced when the file has grown, and removed when the process
 * ends. Only processes that this GDB traces are handled, because otherwise the pid may belong to
 * another machine.
 */
#ifndef CAIRN_GDB_JIT_CODE_H
#define CAIRN_GDB_JIT_CODE_H

#include "common/session/loading.h"
#include "queries/session.h"

/*
 * Implements symbol_loader.plan_code(). The captured output must contain GDB's list of inferiors in
 * addition to its list of files.
 */
void jit_code_plan(struct command_call *call, struct plan *plan);

/*
 * Return true if the perf map or jitdump has appeared or changed since the plan was made. Checks
 * the file once, and the process's mappings at most once.
 */
bool jit_code_changed(struct gdb_session *session, int inferior);

#endif
