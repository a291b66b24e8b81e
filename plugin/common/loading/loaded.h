/* SPDX-License-Identifier: MIT */
/* The answer of a command that loads symbols. */
#ifndef CAIRN_COMMON_LOADING_LOADED_H
#define CAIRN_COMMON_LOADING_LOADED_H

#include "common/session/session.h"
#include "common/symbols/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the debugger has taken, or why there was nothing; returns how many objects. */
size_t print_loaded(struct command_call *call, const struct plan *plan);

#ifdef __cplusplus
}
#endif

#endif
