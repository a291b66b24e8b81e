/* SPDX-License-Identifier: MIT */
/*
 * Converts addresses in a profile to addresses in the module's file. docs/profiles.md describes the
 * rules.
 */
#ifndef CAIRN_PROFILES_PLACE_H
#define CAIRN_PROFILES_PLACE_H

#include "formats/elf/elf.h"
#include "profile.h"

/* Conversion of a mapping's addresses to link-time addresses of its file. */
struct profile_place {
	enum {
		PLACE_UNKNOWN,
		PLACE_LINKED,   /* the profile already has link-time addresses */
		PLACE_SEGMENTS, /* convert with the file's program headers */
		PLACE_BIAS,     /* subtract `bias` */
	} kind;
	struct elf_places segments;
	uint64_t bias;
};

/* Return true if the mapping itself shows that its addresses are link-time addresses. */
bool place_is_linked(const struct pprof_mapping *mapping);

/* Use the program headers of the program itself. */
void place_from_program(struct profile_place *place, struct cairn_bytes program);

/*
 * Use a separate debug file, for modules whose program is missing. Its file offsets differ from the
 * program's, so they cannot be compared with the mapping's offset.
 */
void place_from_debug_file(struct profile_place *place, struct cairn_bytes file,
                           const struct pprof_mapping *mapping);

/*
 * Set *va to the link-time address. Return false if the address is outside the mapping or the file.
 */
bool place_address(const struct profile_place *place, const struct pprof_mapping *mapping,
                   uint64_t address, uint64_t *va);

#endif
