/* SPDX-License-Identifier: MIT */
/* Reads the image of a module in target memory, as described by its ELF and program headers. */
#ifndef CAIRN_UNWIND_TABLES_IMAGE_H
#define CAIRN_UNWIND_TABLES_IMAGE_H

#include "modules.h"

/*
 * Read the headers at `address` into *module, which is zeroed or holds an earlier attempt. Return
 * false if no loadable image begins there.
 */
bool image_read(const struct cairn_target *target, uint64_t address, struct module *module);

/*
 * Open the headers of an image whose first page, module->print, is from module->print_at. Tools
 * that add segments to a linked program (BOLT) move the program headers out of the first page.
 * Those are read from the target into `apart`, which must outlive `elf`; only segments of such an
 * image can be read.
 */
bool image_open(const struct cairn_target *target, const struct module *module,
                uint8_t apart[MODULE_PAGE], struct elf *elf);

bool image_unchanged(const struct cairn_target *target, const struct module *module);

#endif
