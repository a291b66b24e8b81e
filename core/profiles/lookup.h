/* SPDX-License-Identifier: MIT */
/*
 * Builds the symbolizer's request for a mapping's module from the path and the build ID in a
 * profile, and converts addresses in the profile to addresses in the module's file.
 * docs/profiles.md describes the rules.
 */
#ifndef CAIRN_PROFILES_LOOKUP_H
#define CAIRN_PROFILES_LOOKUP_H

#include "profile.h"

#include "formats/elf/elf.h"

#include <cairn.h>

enum {
	/* capacity for a path; longer paths cannot be opened anyway (PATH_MAX) */
	PROFILE_PATH_SIZE = 4096,
	PROFILE_ID_MAX = 64,
};

/* A module, and the buffers to which it points. Must not be moved or copied. */
struct profile_asked {
	struct cairn_symbol_module module;
	char path[PROFILE_PATH_SIZE];
	uint8_t build_id[PROFILE_ID_MAX];
	bool other_id; /* the profile's build ID is not hexadecimal, or is too long */
};

/*
 * Fill *asked with a request for the module with this path and build ID (hexadecimal, as in
 * profiles).
 */
void profile_ask(struct profile_asked *asked, struct cairn_bytes path, struct cairn_bytes build_id);

/*
 * Return true if a mapping has no file that could be looked up: pseudo-files, anonymous memory, and
 * everything in the upper half of the address space, which belongs to the kernel whatever the
 * mapping's name is.
 */
bool profile_is_without_file(struct cairn_bytes path, struct cairn_bytes build_id, uint64_t start);

/* the way to convert addresses in a mapping to link-time addresses in its file */
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

/* Return true if the mapping alone shows that its addresses are link-time addresses. */
bool place_is_linked(const struct pprof_mapping *mapping);

void place_from_program(struct profile_place *place, struct cairn_bytes program);

/*
 * Convert addresses with a separate debug file, because the module's program is missing. The debug
 * file's offsets differ from the program's, so they cannot be compared with the mapping's offset.
 */
void place_from_debug_file(struct profile_place *place, struct cairn_bytes file,
                           const struct pprof_mapping *mapping);

/*
 * Set *va to the link-time address. Returns false if the address is outside the mapping or the
 * file.
 */
bool place_address(const struct profile_place *place, const struct pprof_mapping *mapping,
                   uint64_t address, uint64_t *va);

#endif
