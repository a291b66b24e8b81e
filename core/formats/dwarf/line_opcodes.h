/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of line number programs (DWARF 5, sections 6.2.5.2 and 6.2.5.3). Private to this
 * directory: line_rows.c runs one opcode at a time, line_places.c runs batches.
 */
#ifndef CAIRN_FORMATS_DWARF_LINE_OPCODES_H
#define CAIRN_FORMATS_DWARF_LINE_OPCODES_H

enum {
	OP_EXTENDED = 0,
	OP_COPY = 1,
	OP_ADVANCE_PC = 2,
	OP_ADVANCE_LINE = 3,
	OP_SET_FILE = 4,
	OP_SET_COLUMN = 5,
	OP_NEGATE_STATEMENT = 6,
	OP_CONST_ADD_PC = 8,
	OP_FIXED_ADVANCE_PC = 9,
	OP_PROLOGUE_END = 10,
	EXTENDED_END_SEQUENCE = 1,
	EXTENDED_SET_ADDRESS = 2,
	EXTENDED_DEFINE_FILE = 3,
	EXTENDED_SET_DISCRIMINATOR = 4,
};

#endif
