/* SPDX-License-Identifier: MIT */
/* What collects the index of names and what writes it share. */
#ifndef CAIRN_WRITERS_ELF_NAME_INDEX_PARTS_H
#define CAIRN_WRITERS_ELF_NAME_INDEX_PARTS_H

#include "writers/elf/name_index.h"

enum {
	NAME_INDEX_UNITS_MAX = 1 << 24, /* a unit's number has 24 bits */
	NAME_INDEX_KIND_SHIFT = 28,
};

/* An entry of .debug_info: `value` is a unit and a kind. */
struct name_entry {
	uint32_t symbol, value;
};

struct name_index {
	struct elf_writer *w;
	struct interner names; /* qualified; the number of a text is a symbol */
	uint32_t *known_at;    /* by number of a name and join: an index in `known`, + 1 */
	size_t known_at_room;
	uint32_t *known; /* symbols: of the name, and of its scopes */
	size_t known_count, known_room;
	struct name_entry *entry; /* by unit */
	size_t entries, entry_room;
	struct byte_buffer path; /* scratch */
	struct byte_buffer units, addresses;
	uint32_t unit;
	bool left_out;
};

/* Frees what only collecting needs. */
void name_index_forget_entries(struct name_index *index);

#endif
