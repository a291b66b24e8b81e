/* SPDX-License-Identifier: MIT */
/* Files for perf: a map of names, and a jitdump.  A child of fork() gets files of its own. */
#ifndef CAIRN_JIT_PRODUCER_PERF_H
#define CAIRN_JIT_PRODUCER_PERF_H

#include "jit_producer/base/parts.h"

/* Where jitdumps are written; NULL: /tmp.  It is borrowed. */
CAIRN_JIT_INTERNAL void cairn_jit_perf_directory(const char *directory);

/* Each appends one function, by one write.  What cannot be written is left out. */
CAIRN_JIT_INTERNAL void cairn_jit_perf_map(const struct cairn_jit_facts *facts);
CAIRN_JIT_INTERNAL void cairn_jit_perf_dump(const struct cairn_jit_facts *facts);

#endif
