/* SPDX-License-Identifier: MIT */
/*
 * Identifies the debugger that traces the process. GDB accepts two sections that begin at one
 * address for a moment; LLDB would forget both when the old one is unregistered.
 */
#ifndef CAIRN_JIT_PRODUCER_LIST_TRACER_H
#define CAIRN_JIT_PRODUCER_LIST_TRACER_H

#include "jit_producer/base/parts.h"

/*
 * Return true if the tracer's program name, read from two files of /proc, starts with "gdb".
 * Returns false if it is unknown.
 */
CAIRN_JIT_INTERNAL bool cairn_jit_traced_by_gdb(void);

#endif
