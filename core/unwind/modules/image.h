/* SPDX-License-Identifier: MIT */
/* One module's image in target memory: what its ELF and program headers describe. */
#ifndef CAIRN_UNWIND_MODULES_IMAGE_H
#define CAIRN_UNWIND_MODULES_IMAGE_H

#include "modules.h"

/*
 * Read the headers at `address` into *module, which is zeroed or holds an older attempt.  False
 * when no loadable image begins there.
 */
bool image_read(const struct cairn_target *target, uint64_t address, struct module *module);

/* Are the bytes that it was known by still there? */
bool image_unchanged(const struct cairn_target *target, const struct module *module);

#endif
