/* SPDX-License-Identifier: MIT */
/* What the files of libdw_walk.h share. */
#ifndef CAIRN_DEBUGINFO_LIBDW_LIBDW_PARTS_H
#define CAIRN_DEBUGINFO_LIBDW_LIBDW_PARTS_H

#include "libdw_walk.h"

#include <elfutils/libdw.h>

/* An entry of a unit that may qualify the names of others, while it lies around them. */
struct slow_scope {
	Dwarf_Off start, end;
	size_t parent; /* SLOW_NO_SCOPE */
	Dwarf_Die die;
};

#define SLOW_NO_SCOPE SIZE_MAX

enum {
	SLOW_DEPTH_MAX = 512,
	SLOW_CHAIN_MAX = 16,
	SLOW_NAMES_MAX = 64, /* around a name */
};

struct slow_scopes {
	Dwarf_Off unit; /* whose they are; all ones: nobody's */
	struct slow_scope *scope;
	size_t count, room;
};

struct slow {
	struct budget *budget;
	void *image, *alt_image; /* made here, or NULL */
	Elf *elf, *alt_elf;
	Dwarf *dwarf, *alt;
	struct slow_scopes scopes;
};

/* The names of an entry, found through those it refers to. */
bool slow_names(struct slow *slow, const struct slow_unit *unit, Dwarf_Die *die, bool qualified,
                struct harvest_names *names);

/* The next entry of a list of children: 1; 0 at its end; -1 at damage, as where it leads back. */
int slow_next(struct slow *slow, Dwarf_Die *die, Dwarf_Die *next);

/*
 * An ELF file in new memory that has nothing but the sections of `plain`: for libdw, which would
 * decompress them a second time, and writes into relocatable files.  NULL: memory is short.
 */
void *slow_image(const struct plain *plain, size_t *size);

#endif
