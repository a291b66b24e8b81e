/* SPDX-License-Identifier: MIT */
/* From the addresses of a profile to those of the module's file: docs/profiles.md has the rules. */
#ifndef CAIRN_PROFILES_PLACE_H
#define CAIRN_PROFILES_PLACE_H

#include "formats/elf/places.h"
#include "profile.h"

/* Where the file of a mapping is linked to, as far as that is known. */
struct profile_place {
	enum {
		PLACE_UNKNOWN,
		PLACE_LINKED,   /* the profile has the addresses of the file already */
		PLACE_SEGMENTS, /* by the file's own segments */
		PLACE_BIAS,     /* by what is to be subtracted */
	} kind;
	struct elf_places segments;
	uint64_t bias;
};

/* Does the profile itself tell that the addresses of a mapping are those of its file? */
bool place_is_linked(const struct pprof_mapping *mapping);

/* By the program itself. */
void place_from_program(struct profile_place *place, struct cairn_bytes program);

/* By a separate debug file alone, whose offsets are not those of the program. */
void place_from_debug_file(struct profile_place *place, struct cairn_bytes file,
                           const struct pprof_mapping *mapping);

/* The va of an address in a mapping; false: it is outside of the mapping or of the file. */
bool place_address(const struct profile_place *place, const struct pprof_mapping *mapping,
                   uint64_t address, uint64_t *va);

#endif
