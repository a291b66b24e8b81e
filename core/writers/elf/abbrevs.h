/* SPDX-License-Identifier: MIT */
/* The kinds of DIE in a symbol object's DWARF and their abbreviation codes. */
#ifndef CAIRN_WRITERS_ELF_ABBREVS_H
#define CAIRN_WRITERS_ELF_ABBREVS_H

#include "base/byte_buffer.h"

#include <stdbool.h>

/* A code is a kind and bits, which say what is in the entry. */
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
	WITH_ENTRY = 4, /* of a call */
	WITH_LINES = 4, /* of a unit: it has a line table; of a function: a file */
	WITH_LINKAGE = 8,
};

/* The table, which all units share; with `entries` there are calls that have one. */
void elf_writer_write_abbrevs(struct byte_buffer *buffer, bool entries);

#endif
