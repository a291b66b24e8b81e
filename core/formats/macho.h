/* SPDX-License-Identifier: MIT */
/*
 * Reads the parts of Mach-O that cairn needs: sections by name, the string table and the UUID.
 * 32-bit and 64-bit files of either byte order are supported, universal files are not.
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
	/* location of the string table that the symbol table uses; size 0 if absent */
	uint64_t strings_at, strings_size;
	struct cairn_bytes uuid;
};

struct macho_section {
	uint64_t offset;
	struct cairn_bytes bytes;
};

bool macho_has_magic(struct cairn_bytes bytes);

enum cairn_status macho_open(struct cairn_bytes bytes, struct macho *macho,
                             struct cairn_fault *fault);

/* Find a section by name in any segment. Return false if it is missing or truncated. */
bool macho_find_section(const struct macho *macho, const char *name, struct macho_section *section);

#endif
