/* SPDX-License-Identifier: MIT */
/*
 * The modules of a snapshot as their files and the dynamic linker describe them: the program and
 * dynamic sections.
 */
#ifndef CAIRN_PROCESS_CAPTURE_LOADER_H
#define CAIRN_PROCESS_CAPTURE_LOADER_H

#include "process/stacks/stacks.h"

struct loader_facts {
	size_t program;     /* index of the program's module; module_count if unknown */
	uint64_t *dynamics; /* address of each module's dynamic section, or 0 */
	uint8_t *dynamic;
	size_t dynamic_size;
	uint64_t base, brk; /* bias of the dynamic linker, and its breakpoint; 0 if unknown */
};

/* Return the index of the program's module, or module_count if it is unknown. */
size_t loader_find_program(const struct snapshot *snapshot);

bool module_open_elf(const struct snapshot_module *module, struct elf *elf);

/*
 * Find the first segment of this type in a module's file. Return false if not found or the file is
 * unavailable.
 */
bool module_find_segment(const struct snapshot_module *module, uint32_t type,
                         struct elf_segment *segment);

/*
 * Return true if the linker loaded the module, so that it is neither the vDSO nor a second mapping
 * of a file.
 */
bool module_is_linked(const struct snapshot *snapshot, const struct snapshot_module *module);

/*
 * Return the path by which a debugger finds the file: the located file, or else the path in the
 * program.
 */
struct cairn_bytes module_path(const struct snapshot_module *module);

/*
 * Find the facts. Return false if memory is short; loader_facts_finish() must be called in either
 * case.
 */
bool loader_facts_find(struct loader_facts *facts, struct cairn_stacks *stacks);
void loader_facts_finish(struct loader_facts *facts);

#endif
