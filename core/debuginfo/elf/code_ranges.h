/* SPDX-License-Identifier: MIT */
/* Where the instructions of a program lie, as its section headers say. */
#ifndef CAIRN_DEBUGINFO_ELF_CODE_RANGES_H
#define CAIRN_DEBUGINFO_ELF_CODE_RANGES_H

#include "formats/elf/elf.h"

struct spans {
	struct cairn_range *range; /* ascending, apart from each other */
	size_t count, room;
};

/*
 * The sections with instructions; without any the segments with them; without these, all addresses
 * but 0.  False when memory is short.
 */
bool spans_read(struct spans *spans, const struct elf *elf);
void spans_finish(struct spans *spans);

/* The one that holds `va`; NULL when none does. */
const struct cairn_range *spans_find(const struct spans *spans, uint64_t va);

#endif
