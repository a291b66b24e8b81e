/* SPDX-License-Identifier: MIT */
/* Writes the header of a unit's line table, with its directories and files. */
#ifndef CAIRN_WRITERS_ELF_LINE_HEADER_H
#define CAIRN_WRITERS_ELF_LINE_HEADER_H

#include "parts.h"

enum {
	ELF_WRITER_LINE_BASE = -5,
	ELF_WRITER_LINE_RANGE = 14,
	ELF_WRITER_OPCODE_BASE = 13,
};

/*
 * Write the header up to the end of the file names. Return the offset at which the caller must
 * store the unit's length.
 */
size_t elf_writer_line_header(struct elf_writer *w, const struct elf_writer_local_files *locals);

#endif
