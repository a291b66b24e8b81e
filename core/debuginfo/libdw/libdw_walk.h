/* SPDX-License-Identifier: MIT */
/*
 * The walk over one unit by libdw, for what our own decoder does not take: DWARF 2 and 3, DWARF of
 * 64 bits, and forms it does not know.  libdw is not safe for threads, so that each reader has its
 * own.  Rows come from our decoder here too.
 *
 * Built without libdw, slow_open() always declines.
 */
#ifndef CAIRN_DEBUGINFO_LIBDW_LIBDW_WALK_H
#define CAIRN_DEBUGINFO_LIBDW_LIBDW_WALK_H

#include "debuginfo/dwarf/dies.h"
#include "debuginfo/elf/dwarf_sections.h"
#include "debuginfo/functions/function_builder.h"

struct slow;

/* `alt` may be NULL.  NULL: libdw is not there, or declines. */
struct slow *slow_open(const struct plain *plain, const struct plain *alt);
void slow_close(struct slow *slow);

/* From where it draws what it does from now on; to be set before it is used. */
void slow_set_budget(struct slow *slow, struct budget *budget);

struct slow_unit {
	const struct dwarf_unit *unit;
	struct harvest *harvest;
	struct lines *lines;
	struct texts *texts;
	bool call_sites;
};

/* As scan_unit(). */
CAIRN_MUST_USE enum cairn_status slow_read(struct slow *slow, const struct slow_unit *unit,
                                           struct cairn_fault *fault);

/* What a line table needs to know of the unit; false when it has none. */
bool slow_lines(struct slow *slow, const struct dwarf_unit *unit, uint64_t *offset,
                struct cairn_bytes *comp_dir);

#endif
