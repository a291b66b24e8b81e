/* SPDX-License-Identifier: MIT */
/* The addresses of code in a symbol object's DWARF: of a unit, a function, a call or a scope. */
#ifndef CAIRN_WRITERS_ELF_ADDRESS_RANGES_H
#define CAIRN_WRITERS_ELF_ADDRESS_RANGES_H

#include "writers/elf/parts.h"

struct code_origin {
	uint64_t base; /* of the unit: what its lists of ranges count from */
	uint64_t
		entry; /* start of the function being written, whose code comes first; 0: of the unit */
};

/* Appends low_pc and high_pc to w->info, or, unless count is 1, the place of a list in w->ranges. */
void elf_writer_write_code(struct elf_writer *w, const struct code_origin *from,
                           const struct cairn_range *range, size_t count);

/* The number of the range that is written first, of those of a call or function. */
size_t elf_writer_first_range(const struct code_origin *from, const struct cairn_range *range,
                              size_t count);

/* Completes the header of w->ranges, if there are any lists. */
void elf_writer_end_ranges(struct elf_writer *w);

/* Appends the code of the unit at offset `unit_at` of .debug_info to w->aranges. */
void elf_writer_write_aranges(struct elf_writer *w, const struct elf_writer_unit *unit,
                              size_t unit_at);

#endif
