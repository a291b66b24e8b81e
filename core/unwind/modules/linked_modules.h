/* SPDX-License-Identifier: MIT */
/*
 * Where a module probably begins, by the dynamic linker's list, which the program's DT_DEBUG refers to.
 * A large library is some hundred pages long, and on a remote target each page that a search looks at is
 * a packet; the list has the place of the C library after two or three.
 */
#ifndef CAIRN_UNWIND_MODULES_LINKED_MODULES_H
#define CAIRN_UNWIND_MODULES_LINKED_MODULES_H

#include "modules.h"

enum {
	LINKED_MODULES_MAX = 64,      /* elements of a list that are looked at */
	LINKED_MODULES_DYNAMIC = 128, /* entries of a dynamic section that are looked at */
};

/*
 * The bias of the module that holds `pc`, in the list that `program` refers to; the caller looks at what
 * is there.  False: it refers to none, or the module is not in it.
 */
bool linked_modules_find(const struct cairn_target *target, struct module *program, uint64_t pc,
                         uint64_t *bias);

#endif
