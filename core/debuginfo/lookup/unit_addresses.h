/* SPDX-License-Identifier: MIT */
/*
 * Which unit has the code at an address, by .debug_aranges: without it all units have to be read. An address that is not
 * in it may be in a unit all the same.
 */
#ifndef CAIRN_DEBUGINFO_LOOKUP_UNIT_ADDRESSES_H
#define CAIRN_DEBUGINFO_LOOKUP_UNIT_ADDRESSES_H

#include "debuginfo/budget/budget.h"
#include "formats/dwarf/aranges.h"

/* A unit, and its number once it was read. */
struct unit_place {
	uint64_t offset;
	size_t number; /* SIZE_MAX: it was not read */
};

struct unit_addresses {
	struct dwarf_arange *range; /* by address */
	size_t count, room;
	struct unit_place *place; /* by offset, each once */
	size_t place_count, place_room;
};

/* Reads an ELF file's section.  The table stays empty if the section is absent or damaged, or memory is short. */
void unit_addresses_read(struct unit_addresses *addresses, struct cairn_bytes file,
                         struct budget *budget);
void unit_addresses_finish(struct unit_addresses *addresses);

/* The unit with the code at `va`; NULL: not known. */
struct unit_place *unit_addresses_find(struct unit_addresses *addresses, uint64_t va);

#endif
