/* SPDX-License-Identifier: MIT */
/* Internals of the name index. */
#ifndef CAIRN_WRITERS_ELF_NAME_INDEX_PARTS_H
#define CAIRN_WRITERS_ELF_NAME_INDEX_PARTS_H

#include "name_index.h"

enum {
	NAME_INDEX_UNITS_MAX = 1 << 24, /* limit of the format: 24 bits */
	NAME_INDEX_KIND_SHIFT = 28,
};

/* An entry of .debug_info. `value` combines a unit and a kind. */
struct name_entry {
	uint32_t symbol, value;
};

struct name_index {
	struct elf_writer *w;
	struct interner names; /* qualified names; their numbers are the symbols */
	uint32_t *known_at;    /* indexed by name number and join: index in `known` plus 1 */
	size_t known_at_room;
	uint32_t *known; /* symbols of names, each followed by the symbols of its scopes */
	size_t known_count, known_room;
	struct name_entry *entry; /* in order of units */
	size_t entries, entry_room;
	struct byte_buffer path;
	struct byte_buffer units, addresses;
	uint32_t unit;
	bool left_out;
};

/* Free everything that is only needed to collect names. */
void name_index_forget_entries(struct name_index *index);

#endif
