/* SPDX-License-Identifier: MIT */
/*
 * Describes the modules of a snapshot as the dynamic linker sees them: which module is the program,
 * and where the dynamic sections are.
 */
#ifndef CAIRN_PROCESS_CAPTURE_LOADER_H
#define CAIRN_PROCESS_CAPTURE_LOADER_H

#include "process/stacks/stacks.h"

struct loader_facts {
	size_t program;     /* program's module index; module_count if unknown */
	uint64_t *dynamics; /* address of each module's dynamic section, or 0 */
	uint8_t *dynamic;
	size_t dynamic_size;
	/*
	 * load bias of the dynamic linker, and address of its breakpoint for debuggers (r_brk); 0
	 * if unknown
	 */
	uint64_t base, brk;
};

/* Return the program's module index, or module_count if it is unknown. */
size_t loader_find_program(const struct snapshot *snapshot);

bool module_open_elf(const struct snapshot_module *module, struct elf *elf);

bool module_find_segment(const struct snapshot_module *module, uint32_t type,
                         struct elf_segment *segment);

/*
 * Return true if the dynamic linker loaded the module. It does not load the vDSO or second mappings
 * of a file.
 */
bool module_is_linked(const struct snapshot *snapshot, const struct snapshot_module *module);

/*
 * Return the path at which a debugger finds the file: the path of the located file if there is one,
 * otherwise the path in the snapshot.
 */
struct cairn_bytes module_path(const struct snapshot_module *module);

/*
 * Collect the facts about the program and its modules. Return false if allocation fails. Call
 * loader_facts_finish() in either case.
 */
bool loader_facts_find(struct loader_facts *facts, struct cairn_stacks *stacks);
void loader_facts_finish(struct loader_facts *facts);

#endif
