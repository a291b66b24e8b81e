/* SPDX-License-Identifier: MIT */
/*
 * Makes GDB carry out a plan, and records the result. There are two ways to hand over an object.
 * The program's object is found by GDB itself: GDB rereads the program's file (symbol-file) while
 * the object is where GDB looks for debug files, so the symbols move with the program, before and
 * in each run. A library's object is added (add-symbol-file) at the library's current address.
 */
#ifndef CAIRN_GDB_LOADING_SYMBOL_HANDOVER_H
#define CAIRN_GDB_LOADING_SYMBOL_HANDOVER_H

#include "common/session/loading.h"
#include "session/session.h"

/*
 * Members of struct symbol_loader. The first one makes GDB release objects whose modules are gone,
 * then queries whether GDB has lines of its own for the others; in this order because a new library
 * may be where another one was. The second one makes GDB take the objects.
 */
enum answer symbol_handover_ask_own(struct command_call *call, struct plan *plan);
enum answer symbol_handover_take(struct command_call *call, struct plan *plan);

/* Add the GDB command that releases an object. */
void symbol_handover_remove(struct text *orders, const struct source_object *object, bool alive);

#endif
