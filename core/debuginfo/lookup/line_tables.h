/* SPDX-License-Identifier: MIT */
/* The line tables of one file, each read when it is first asked for, however many units share it. */
#ifndef CAIRN_DEBUGINFO_LOOKUP_LINE_TABLES_H
#define CAIRN_DEBUGINFO_LOOKUP_LINE_TABLES_H

#include "line_table.h"

#include "base/number_map.h"

#include <elfutils/libdw.h>

struct line_tables {
	struct dwarf_sections sections; /* of these only what lines need, and abbreviations */
	struct budget *budget;
	struct string_store texts; /* joined paths */
	struct line_table **table;
	size_t count, room;
	struct number_map by_offset; /* offset + 1 -> index of table */
};

/* The bytes are those that libdw has, decompressed; they stay its own. */
void line_tables_open(struct line_tables *tables, Dwarf *dwarf, struct budget *budget);
void line_tables_finish(struct line_tables *tables);

/* The line table of a unit; NULL when it has none, memory is short, or the budget used up. */
struct line_table *line_tables_of_unit(struct line_tables *tables, Dwarf_Die *unit);

/* DW_AT_comp_dir of a unit; empty when it has none. */
struct cairn_bytes line_tables_comp_dir(Dwarf_Die *unit);

#endif
