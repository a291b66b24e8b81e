/* SPDX-License-Identifier: MIT */
/*
 * Which debugger traces the process.  GDB may have two sections that begin at one address for a moment; LLDB would forget both with the
 * old one.
 */
#ifndef CAIRN_JIT_PRODUCER_LIST_TRACER_H
#define CAIRN_JIT_PRODUCER_LIST_TRACER_H

#include "jit_producer/base/parts.h"

/* By the name of its program, which Linux tells; false also where that is not known. It reads two files of /proc. */
CAIRN_JIT_INTERNAL bool cairn_jit_traced_by_gdb(void);

#endif
