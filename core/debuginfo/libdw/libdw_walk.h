/* SPDX-License-Identifier: MIT */
/*
 * The walk over one unit by libdw, for what our own decoder declines: DWARF 2 and 3, DWARF of
 * 64 bits, and forms it does not know.  libdw is not safe for threads, so that each reader has its
 * own.  Rows come from our decoder here too.
 *
 * Built without libdw, libdw_open() always declines.
 */
#ifndef CAIRN_DEBUGINFO_LIBDW_LIBDW_WALK_H
#define CAIRN_DEBUGINFO_LIBDW_LIBDW_WALK_H

#include "debuginfo/dwarf/dies.h"
#include "debuginfo/elf/dwarf_sections.h"
#include "debuginfo/functions/function_builder.h"

struct libdw_reader;

/* `alt` may be NULL.  NULL: libdw is not there, or declines. */
struct libdw_reader *libdw_open(const struct dwarf_file *plain, const struct dwarf_file *alt);
void libdw_close(struct libdw_reader *libdw);

/* From where it draws what it does from now on; to be set before it is used. */
void libdw_set_budget(struct libdw_reader *libdw, struct budget *budget);

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
