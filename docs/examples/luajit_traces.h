/* SPDX-License-Identifier: MIT */
/*
 * What LuaJIT 2.1 needs to show its traces by libcairn-jit (amd64, LJ_GC64): scripts/luajit.sh puts this file beside lj_trace.c, and calls the two
 * functions where traces come and go.
 *
 * A trace has no prologue: it runs in the frame that the interpreter has set up, deeper by the trace's own spill slots, for which a side trace moves the
 * stack pointer in its first instruction.  The last one, a jump, comes after the stack pointer has gone back.
 */
#include "cairn_jit.h"

#include <stdio.h>

enum { CAIRN_TRACES = 65536, CAIRN_JUMP = 5, CAIRN_NAME = 256 };
static cairn_jit_code *cairn_trace[CAIRN_TRACES]; /* by their numbers */

static const char *cairn_chunk_name(GCproto *pt)
{
	const char *name = proto_chunknamestr(pt);

	return *name == '@' || *name == '=' ? name + 1 : "(string)";
}

static void cairn_add_trace(jit_State *J, GCtrace *T)
{
	/* rbp, rbx, r15, r14, and two that compiled code alone changes, r13 and r12 */
	static const struct cairn_jit_saved saved[] = { { 6, -16 },  { 3, -24 },  { 15, -32 },
		                                        { 14, -40 }, { 13, -80 }, { 12, -88 } };
	GCproto *pt = &gcref(T->startpt)->pt;
	const BCLine line = lj_debug_line(pt, proto_bcpos(pt, mref(T->startpc, const BCIns)));
	const int32_t parent =
		T->ir[REF_BASE].op1 ? (int32_t)traceref(J, T->ir[REF_BASE].op1)->spadjust : 0;
	const struct cairn_jit_row rows[] = { { 0, 7, CFRAME_SIZE_JIT + parent, saved, 6 },
		                              { 1, 7, CFRAME_SIZE_JIT + T->spadjust, saved, 6 },
		                              { T->szmcode - CAIRN_JUMP, 7, CFRAME_SIZE_JIT, saved,
		                                6 } };
	const struct cairn_jit_line lines[] = { { 0, line > 0 ? (uint32_t)line : 1 } };
	char name[CAIRN_NAME];
	struct cairn_jit_function function = {
		.code = T->mcode,
		.size = T->szmcode,
		.name = name,
		.file = cairn_chunk_name(pt),
		.lines = lines,
		.line_count = 1,
		.frame = { .kind = CAIRN_JIT_ROWS, .rows = rows, .row_count = 3 }
	};

	snprintf(name, sizeof(name), "TRACE_%d", (int)T->traceno);
	cairn_trace[T->traceno] = cairn_jit_add(&function);
}

static void cairn_remove_trace(GCtrace *T)
{
	cairn_jit_remove(cairn_trace[T->traceno]);
	cairn_trace[T->traceno] = NULL;
}
