/* SPDX-License-Identifier: MIT */
/* What the files of libdw_walk.h share. */
#ifndef CAIRN_DEBUGINFO_LIBDW_LIBDW_PARTS_H
#define CAIRN_DEBUGINFO_LIBDW_LIBDW_PARTS_H

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
};

struct libdw_scopes {
	Dwarf_Off unit; /* whose they are; all ones: nobody's */
	struct libdw_scope *scope;
	size_t count, room;
};

struct libdw_reader {
	struct budget *budget;
	void *image, *alt_image; /* made here, or NULL */
	Elf *elf, *alt_elf;
	Dwarf *dwarf, *alt;
	struct libdw_scopes scopes;
};

/* The names of an entry, found through those it refers to. */
bool libdw_read_names(struct libdw_reader *slow, const struct libdw_unit *unit, Dwarf_Die *die,
                      bool qualified, struct function_builder_names *names);

/* The next entry of a list of children: 1; 0 at its end; -1 at damage, as where it leads back. */
int libdw_next(struct libdw_reader *slow, Dwarf_Die *die, Dwarf_Die *next);

#endif
