/* SPDX-License-Identifier: MIT */
/* The header of a unit's line table: its directories and files. */
#ifndef CAIRN_ENGINE_ELF_WRITER_LINE_HEADER_H
#define CAIRN_ENGINE_ELF_WRITER_LINE_HEADER_H

#include "parts.h"

/* What special opcodes of the table mean. */
enum {
	OBJECT_LINE_BASE = -5,
	OBJECT_LINE_RANGE = 14,
	OBJECT_OPCODE_BASE = 13,
};

/* Up to the file names' end; returns where the unit's length is to be put. */
size_t object_line_header(struct object_writer *w, const struct object_locals *locals);

#endif
