/* SPDX-License-Identifier: MIT */
/* The modules of a snapshot, by their files and by what the dynamic linker has of them: the program, dynamic sections. */
#ifndef CAIRN_PROCESS_CAPTURE_LOADER_H
#define CAIRN_PROCESS_CAPTURE_LOADER_H

#include "process/stacks/stacks.h"

struct loader_facts {
	size_t program;     /* number of the program's module; past the last: not known */
	uint64_t *dynamics; /* of each module: the address of its dynamic section; 0: none */
	uint8_t *dynamic;   /* the program's dynamic section */
	size_t dynamic_size;
	uint64_t base,
		brk; /* of the dynamic linker: its bias, where it stops for debuggers; 0: not known */
};

/* The number of the program's module; past the last: it is not known. */
size_t loader_find_program(const struct snapshot *snapshot);

/* The file of a module as ELF; false: it is not here. */
bool module_open_elf(const struct snapshot_module *module, struct elf *elf);

/* The first segment of this type in a module's file; false: it has none, or the file is not here. */
bool module_find_segment(const struct snapshot_module *module, uint32_t type,
                         struct elf_segment *segment);

/* Is it a module of its own that the linker loaded? */
bool module_is_linked(const struct snapshot *snapshot, const struct snapshot_module *module);

/* Where a debugger finds its file: here, or else where the program had it. */
struct cairn_bytes module_path(const struct snapshot_module *module);

/* False: memory is short. It has to be finished all the same. */
bool loader_facts_find(struct loader_facts *facts, struct cairn_stacks *stacks);
void loader_facts_finish(struct loader_facts *facts);

#endif
