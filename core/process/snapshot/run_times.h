/* SPDX-License-Identifier: MIT */
/*
 * Run-times that make code (JIT), known by the names of their modules: why a stack may end in code of theirs, and what
 * to start them with so that it does not.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_RUN_TIMES_H
#define CAIRN_PROCESS_SNAPSHOT_RUN_TIMES_H

#include "model/snapshot.h"

/*
 * Why no caller was found of a frame at `pc`, in a phrase; a constant. NULL: it is in a module, or in no memory that may
 * be executed. Mappings and modules have to be sorted.
 */
const char *snapshot_explain_made_code(const struct snapshot *snapshot, uint64_t pc);

#endif
