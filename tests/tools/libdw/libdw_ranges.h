/* SPDX-License-Identifier: MIT */
/*
 * The addresses of an entry that libdw reads.  Lists are read by our own decoder: libdw's passes over entries
 * that move the base, however many there are, and does not tell that it did.
 */
#ifndef CAIRN_TESTS_TOOLS_LIBDW_LIBDW_RANGES_H
#define CAIRN_TESTS_TOOLS_LIBDW_LIBDW_RANGES_H

#include "debuginfo/dies.h"

#include <elfutils/libdw.h>

/* To be set to { .sections = ... }; the rest is of the unit that was asked for last. */
struct libdw_ranges {
	const struct dwarf_sections *sections;
	Dwarf_Off root;
	struct dwarf_unit unit; /* only what lists need */
	struct dwarf_bases bases;
};

enum libdw_ranges_kind { LIBDW_RANGES_NONE, LIBDW_RANGES_ONE, LIBDW_RANGES_LIST };

/* What an entry has: no address, *one range, or the *list. */
enum libdw_ranges_kind libdw_ranges_open(struct libdw_ranges *ranges, Dwarf_Die *die,
                                         struct cairn_range *one, struct dwarf_ranges *list);

/* A number, or an offset in a section. */
bool libdw_read_number(Dwarf_Attribute *attribute, uint64_t *number);

#endif
