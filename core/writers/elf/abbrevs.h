/* SPDX-License-Identifier: MIT */
/* Abbreviation codes of the DIEs in a symbol object. */
#ifndef CAIRN_WRITERS_ELF_ABBREVS_H
#define CAIRN_WRITERS_ELF_ABBREVS_H

#include "base/byte_buffer.h"

#include <stdbool.h>

/* A code is the sum of a kind and WITH_* bits, which select the attributes of the entry. */
enum {
	UNIT = 1,
	ABSTRACT = 8,
	SCOPE = 10,
	BLOCK = 11,
	LABEL = 12,
	TEMPLATE = 13,
	PARAMETER = 14,
	CALL = 16,
	FUNCTION = 32,
	WITH_CHILDREN = 1,
	WITH_RANGES = 2,
	WITH_ENTRY = 4, /* calls only */
	WITH_LINES = 4, /* units: has a line table; functions: has a file */
	WITH_LINKAGE = 8,
};

/* Write the abbreviations, which all units share. `entries` includes calls with DW_AT_entry_pc. */
void elf_writer_write_abbrevs(struct byte_buffer *buffer, bool entries);

#endif
