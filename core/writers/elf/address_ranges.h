/* SPDX-License-Identifier: MIT */
/*
 * Writes the code addresses of units, functions, calls and scopes to the DWARF of a symbol object.
 */
#ifndef CAIRN_WRITERS_ELF_ADDRESS_RANGES_H
#define CAIRN_WRITERS_ELF_ADDRESS_RANGES_H

#include "parts.h"

struct code_origin {
	uint64_t base; /* start of the unit; range lists are relative to it */
	/* Start of the function being written, whose range comes first in lists; 0 for a unit. */
	uint64_t entry;
};

/*
 * Write DW_AT_low_pc and DW_AT_high_pc to w->info, or the offset of a list in w->ranges unless
 * `count` is 1.
 */
void elf_writer_write_code(struct elf_writer *w, const struct code_origin *from,
                           const struct cairn_range *range, size_t count);

/* Return the index of the range of a call or function that is written first. */
size_t elf_writer_first_range(const struct code_origin *from, const struct cairn_range *range,
                              size_t count);

void elf_writer_end_ranges(struct elf_writer *w);

/* Write the address ranges of the unit at offset `unit_at` in .debug_info to w->aranges. */
void elf_writer_write_aranges(struct elf_writer *w, const struct elf_writer_unit *unit,
                              size_t unit_at);

#endif
