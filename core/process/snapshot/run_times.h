/* SPDX-License-Identifier: MIT */
/*
 * Run-times that generate code (JIT), recognized by the names of their modules: why a stack may end
 * in their code, and which option prevents that.
 */
#ifndef CAIRN_PROCESS_SNAPSHOT_RUN_TIMES_H
#define CAIRN_PROCESS_SNAPSHOT_RUN_TIMES_H

#include "model/snapshot.h"

/*
 * Return a phrase, a constant, that explains why no caller was found for a frame at `pc`. Return
 * NULL if `pc` is in a module or in memory that is not executable. Mappings and modules must be
 * sorted.
 */
const char *snapshot_explain_made_code(const struct snapshot *snapshot, uint64_t pc);

#endif
