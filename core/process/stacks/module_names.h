/* SPDX-License-Identifier: MIT */
/* Names at an address of a module, from a file of symbols that was opened for it, or of a stub of its PLT. */
#ifndef CAIRN_PROCESS_STACKS_MODULE_NAMES_H
#define CAIRN_PROCESS_STACKS_MODULE_NAMES_H

#include "formats/elf/stubs.h"
#include "model/snapshot.h"

/*
 * The innermost call first. `lowest` is the va of the module's first byte, from which addresses of Breakpad
 * count. Returns how many of at most `room` were filled; their texts live as long as the file.
 */
size_t module_names_find(struct cairn_symbol_file *file, uint64_t va, uint64_t lowest,
                         struct cairn_location *locations, size_t room);

/* The stubs of a module's file, looked for once; begins with zeros. */
struct module_stubs {
	bool looked, found;
	unsigned named; /* names that were kept */
	struct elf_stubs stubs;
};

/* "puts@plt", kept in the snapshot; false: `va` is not in a stub whose function is known. */
bool module_names_find_stub(struct module_stubs *stubs, struct snapshot *snapshot,
                            struct cairn_bytes file, uint64_t va, struct cairn_location *location);

#endif
