/* SPDX-License-Identifier: MIT */
/*
 * Has GDB carry out a plan and records the result. There are two ways to hand an object over. The
 * program's is looked up by GDB itself: the program's file is read again (symbol-file) while the
 * object is where GDB looks for debug files, so it is moved with the program, before and in each
 * run. A library's is added (add-symbol-file) where the library is now.
 */
#ifndef CAIRN_GDB_LOADING_SYMBOL_HANDOVER_H
#define CAIRN_GDB_LOADING_SYMBOL_HANDOVER_H

#include "common/symbols/plan.h"

#include "session/session.h"

/*
 * Members of struct symbol_loader: the first one has GDB let go of objects whose modules are gone, and asks whether it has
 * lines of its own for the others, because a library may be where another was; the second one has GDB take the objects.
 */
enum answer symbol_handover_ask_own(struct command_call *call, struct plan *plan);
enum answer symbol_handover_take(struct command_call *call, struct plan *plan);

/* The GDB command by which it lets go of an object. */
void symbol_handover_remove(struct text *orders, const struct source_object *object, bool alive);

#endif
