/* SPDX-License-Identifier: MIT */
/* Finds the ranges of instructions in a program by its section headers. */
#ifndef CAIRN_DEBUGINFO_ELF_CODE_RANGES_H
#define CAIRN_DEBUGINFO_ELF_CODE_RANGES_H

#include "formats/elf/elf.h"

struct code_ranges {
	struct cairn_range *range; /* ascending and disjoint */
	size_t count, room;
};

/*
 * Read the sections with instructions. Without such sections, read the executable segments; without
 * these, use all addresses but 0. Returns false if memory is short.
 */
bool code_ranges_read(struct code_ranges *spans, const struct elf *elf);
/* Add each section with instructions unmerged, in file order. Returns false if memory is short. */
bool code_ranges_add_sections(struct code_ranges *spans, const struct elf *elf);
void code_ranges_finish(struct code_ranges *spans);

const struct cairn_range *code_ranges_find(const struct code_ranges *spans, uint64_t va);

#endif
