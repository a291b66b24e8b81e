/* SPDX-License-Identifier: MIT */
/* Where the instructions of a program are, by its section headers. */
#ifndef CAIRN_DEBUGINFO_ELF_CODE_RANGES_H
#define CAIRN_DEBUGINFO_ELF_CODE_RANGES_H

#include "formats/elf/elf.h"

struct code_ranges {
	struct cairn_range *range; /* ascending, apart from each other */
	size_t count, room;
};

/*
 * The sections with instructions; without any the segments with them; without these, all addresses
 * but 0.  False when memory is short.
 */
bool code_ranges_read(struct code_ranges *spans, const struct elf *elf);
/* Adds each of these sections as it is, in their order; they are to be sorted.  False when memory is short. */
bool code_ranges_add_sections(struct code_ranges *spans, const struct elf *elf);
void code_ranges_finish(struct code_ranges *spans);

/* The one that holds `va`; NULL when none does. */
const struct cairn_range *code_ranges_find(const struct code_ranges *spans, uint64_t va);

#endif
