/* SPDX-License-Identifier: MIT */
/*
 * Mach-O, as much as cairn needs of it: sections by name, the string table and the UUID.  Either
 * width, either byte order; files of several machines ("universal") are not read.
 *
 *	struct macho macho;
 *	struct macho_section section;
 *	if (macho_open(bytes, &macho, &fault) == CAIRN_OK &&
 *	    macho_find_section(&macho, "__gsym", &section))
 *		... section.bytes
 */
#ifndef CAIRN_FORMATS_MACHO_H
#define CAIRN_FORMATS_MACHO_H

#include <cairn.h>

struct macho {
	struct cairn_bytes bytes;
	bool wide, big;
	size_t commands_at;
	uint32_t commands;
	uint64_t strings_at, strings_size; /* of the symbol table; size 0 when there is none */
	struct cairn_bytes uuid;
};

struct macho_section {
	uint64_t offset; /* in the file */
	struct cairn_bytes bytes;
};

/* Does it begin with one of the magic numbers? */
bool macho_has_magic(struct cairn_bytes bytes);

enum cairn_status macho_open(struct cairn_bytes bytes, struct macho *macho,
                             struct cairn_fault *fault);

/* The section of this name in any segment; false when there is none, or it is cut off. */
bool macho_find_section(const struct macho *macho, const char *name, struct macho_section *section);

#endif
