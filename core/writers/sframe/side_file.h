/* SPDX-License-Identifier: MIT */
/* An ELF file that has the .sframe of a program, its build ID, and where its segments are. */
#ifndef CAIRN_WRITERS_SFRAME_SIDE_FILE_H
#define CAIRN_WRITERS_SFRAME_SIDE_FILE_H

#include "base/byte_buffer.h"
#include "formats/elf/elf.h"

/* The va at which the section is said to be: past all segments of the program. */
uint64_t side_file_address(const struct elf *elf);

/* What comes before the section, whose size need not be known, and what comes after it. */
void side_file_begin(const struct elf *elf, struct byte_buffer *out);
void side_file_end(const struct elf *elf, struct byte_buffer *out, size_t section_at);

#endif
