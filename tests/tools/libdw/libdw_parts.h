/* SPDX-License-Identifier: MIT */
/* What the files of libdw_walk.h share. */
#ifndef CAIRN_TESTS_TOOLS_LIBDW_LIBDW_PARTS_H
#define CAIRN_TESTS_TOOLS_LIBDW_LIBDW_PARTS_H

#include "libdw_image.h"
#include "libdw_walk.h"

#include <elfutils/libdw.h>

/* An entry of a unit that may qualify the names of others, while it is around them. */
struct libdw_scope {
	Dwarf_Off start, end;
	size_t parent; /* LIBDW_NO_SCOPE */
	Dwarf_Die die;
};

#define LIBDW_NO_SCOPE SIZE_MAX

enum {
	LIBDW_DEPTH_MAX = 512,
	LIBDW_CHAIN_MAX = 16,
	LIBDW_NAMES_MAX = 64, /* around a name */
	LIBDW_SEEN = 256,     /* abbreviations that were counted lately */
};

struct libdw_scopes {
	Dwarf_Off unit; /* whose they are; all ones: nobody's */
	struct libdw_scope *scope;
	size_t count, capacity;
};

/* The steps that each entry with this abbreviation costs. */
struct libdw_steps {
	const Dwarf_Abbrev *abbrev;
	uint64_t steps;
};

struct libdw_reader {
	struct budget *budget;
	void *image, *alt_image; /* made here, or NULL */
	Elf *elf, *alt_elf;
	Dwarf *dwarf, *alt;
	struct libdw_scopes scopes;
	struct libdw_steps seen[LIBDW_SEEN];
};

/* Steps of the budget that an entry costs, whose attributes are looked for. */
uint64_t libdw_steps(struct libdw_reader *libdw, Dwarf_Die *die);

/* The names of an entry, found through those it refers to. */
bool libdw_read_names(struct libdw_reader *libdw, const struct libdw_unit *unit, Dwarf_Die *die,
                      bool qualified, struct function_builder_names *names);

/*
 * The next entry of a list of children: 1; 0 at its end; -1 at damage, as where it leads back.  `below`:
 * the steps of this entry and all inside it.
 */
int libdw_next(struct libdw_reader *libdw, Dwarf_Die *die, Dwarf_Die *next, uint64_t below);

#endif
