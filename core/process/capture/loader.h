/* SPDX-License-Identifier: MIT */
/* What the dynamic linker has of the modules: which is the program, and where their dynamic sections are. */
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

/* False: memory is short. It has to be finished all the same. */
bool loader_facts_find(struct loader_facts *facts, struct cairn_stacks *stacks);
void loader_facts_finish(struct loader_facts *facts);

#endif
