/* SPDX-License-Identifier: MIT */
/* Names at an address of a module, from a file of symbols that was opened for it. */
#ifndef CAIRN_STACKS_MODULE_NAMES_H
#define CAIRN_STACKS_MODULE_NAMES_H

#include <cairn.h>

/*
 * The innermost call first. `lowest` is the va of the module's first byte, from which addresses of Breakpad
 * count. Returns how many of at most `room` were filled; their texts live as long as the file.
 */
size_t module_names_find(struct cairn_symbol_file *file, uint64_t va, uint64_t lowest,
                         struct cairn_location *locations, size_t room);

#endif
