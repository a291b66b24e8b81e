/* SPDX-License-Identifier: MIT */
/* The answer of a command that loads symbols. */
#ifndef CAIRN_GDB_LOADING_LOADED_H
#define CAIRN_GDB_LOADING_LOADED_H

#include "common/session/session.h"
#include "common/symbols/plan.h"

/* What the debugger has taken, or why there was nothing; returns how many objects. */
size_t print_loaded(struct command_call *call, const struct plan *plan);

#endif
