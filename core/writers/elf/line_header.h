/* SPDX-License-Identifier: MIT */
/* The header of a unit's line table: its directories and files. */
#ifndef CAIRN_WRITERS_ELF_LINE_HEADER_H
#define CAIRN_WRITERS_ELF_LINE_HEADER_H

#include "writers/elf/parts.h"

/* What special opcodes of the table mean. */
enum {
	ELF_WRITER_LINE_BASE = -5,
	ELF_WRITER_LINE_RANGE = 14,
	ELF_WRITER_OPCODE_BASE = 13,
};

/* Up to the file names' end; returns where the unit's length is to be put. */
size_t elf_writer_line_header(struct elf_writer *w, const struct elf_writer_local_files *locals);

#endif
