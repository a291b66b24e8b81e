/* SPDX-License-Identifier: MIT */
/*
 * Finds the probable start of a module in the dynamic linker's list, to which the program's
 * DT_DEBUG points. A large library has hundreds of pages, and on a remote target a search costs a
 * packet per page. The list contains the C library in its first two or three elements.
 */
#ifndef CAIRN_UNWIND_TABLES_LINKED_MODULES_H
#define CAIRN_UNWIND_TABLES_LINKED_MODULES_H

#include "modules.h"

enum {
	LINKED_MODULES_MAX = 64,
	LINKED_MODULES_DYNAMIC = 128,
};

/*
 * Find the bias of the module that contains `pc` in the list of `program`. The result is a
 * candidate that the caller verifies. Return false if there is no list or the module is not in it.
 */
bool linked_modules_find(const struct cairn_target *target, struct module *program, uint64_t pc,
                         uint64_t *bias);

#endif
