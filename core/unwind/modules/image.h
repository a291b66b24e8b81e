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

/*
 * Opens the headers of an image whose first page is module->print, of an image that begins at module->print_at.  Program
 * headers that are not in the page are read from the target into `apart`, which has to stay: tools that add segments to a
 * program that is linked (BOLT) put them into these.  Of such an image segments alone can be read.
 */
bool image_open(const struct cairn_target *target, const struct module *module,
                uint8_t apart[MODULE_PAGE], struct elf *elf);

/* Are the bytes that it was known by still there? */
bool image_unchanged(const struct cairn_target *target, const struct module *module);

#endif
