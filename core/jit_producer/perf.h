/* SPDX-License-Identifier: MIT */
/* Writes the files for perf: a map of names, and a jitdump. A forked child writes its own files. */
#ifndef CAIRN_JIT_PRODUCER_PERF_H
#define CAIRN_JIT_PRODUCER_PERF_H

#include "memory.h"

/* Set the directory for jitdumps; NULL selects /tmp. The string is borrowed. */
CAIRN_JIT_INTERNAL void cairn_jit_perf_directory(const char *directory);

/* Append a function to the perf map or the jitdump with a single write(). Errors are ignored. */
CAIRN_JIT_INTERNAL void cairn_jit_perf_map(const struct cairn_jit_facts *facts);
CAIRN_JIT_INTERNAL void cairn_jit_perf_dump(const struct cairn_jit_facts *facts);

#endif
