/* SPDX-License-Identifier: MIT */
/*
 * Builds the symbolizer's request for the module of a mapping from the path and the build ID in a
 * profile.
 */
#ifndef CAIRN_PROFILES_ASK_H
#define CAIRN_PROFILES_ASK_H

#include <cairn.h>

enum {
	PROFILE_PATH_SIZE = 4096, /* longer paths cannot be opened anyway (PATH_MAX) */
	PROFILE_ID_MAX = 64,
};

/* A module and the buffers that it points into; must not be moved or copied. */
struct profile_asked {
	struct cairn_symbol_module module;
	char path[PROFILE_PATH_SIZE];
	uint8_t build_id[PROFILE_ID_MAX];
	bool other_id; /* the profile's build ID is not hexadecimal, or too long */
};

/* Fill in `asked`. `build_id` is a hexadecimal string, as stored in profiles. */
void profile_ask(struct profile_asked *asked, struct cairn_bytes path, struct cairn_bytes build_id);

/*
 * Return true if a mapping has no file that could be looked up: pseudo-files, anonymous memory, and
 * everything in the upper half of the address space, which belongs to the kernel whatever the
 * mapping is called.
 */
bool profile_is_without_file(struct cairn_bytes path, struct cairn_bytes build_id, uint64_t start);

#endif
