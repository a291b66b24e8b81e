/* SPDX-License-Identifier: MIT */
/*
 * The walk over one unit by libdw, beside which the walk of our own decoder is tested.  Rows come from our decoder here
 * too.
 */
#ifndef CAIRN_TESTS_TOOLS_LIBDW_LIBDW_WALK_H
#define CAIRN_TESTS_TOOLS_LIBDW_LIBDW_WALK_H

#include "debuginfo/dies.h"
#include "debuginfo/dwarf_sections.h"
#include "debuginfo/function_builder.h"

struct libdw_reader;

/* `alt` may be NULL.  What it does is drawn from the budget.  NULL: libdw cannot read the file. */
struct libdw_reader *libdw_open(const struct dwarf_file *plain, const struct dwarf_file *alt,
                                struct budget *budget);
void libdw_close(struct libdw_reader *libdw);

struct libdw_unit {
	const struct dwarf_sections *sections;
	const struct dwarf_unit *unit;
	struct function_builder *builder;
	struct lines *lines;
	struct string_store *texts;
	bool call_sites;
};

/* As unit_walk_read(). */
CAIRN_MUST_USE enum cairn_status libdw_read_unit(struct libdw_reader *libdw,
                                                 const struct libdw_unit *unit,
                                                 struct cairn_fault *fault);

/* What a line table needs to know of the unit; false when it has none. */
bool libdw_find_lines(struct libdw_reader *libdw, const struct dwarf_unit *unit, uint64_t *offset,
                      struct cairn_bytes *comp_dir);

#endif
