/* SPDX-License-Identifier: MIT */
/* How a symbolizer is asked for the module of a mapping, by the path and the build ID that a profile has. */
#ifndef CAIRN_PROFILES_ASK_H
#define CAIRN_PROFILES_ASK_H

#include <cairn.h>

enum {
	PROFILE_PATH_SIZE = 4096, /* bytes of a path; a file at a longer one cannot be opened */
	PROFILE_ID_MAX = 64,      /* bytes of a build ID */
};

/* A module, with its texts; it may not be moved. */
struct profile_asked {
	struct cairn_symbol_module module;
	char path[PROFILE_PATH_SIZE];
	uint8_t build_id[PROFILE_ID_MAX];
	bool other_id; /* the profile has an ID, which is none of bytes */
};

/* `build_id` is text, as profiles have it. */
void profile_ask(struct profile_asked *asked, struct cairn_bytes path, struct cairn_bytes build_id);

/* Names that stand for no file; the kernel's half of the addresses belongs to it, whatever its mapping is called. */
bool profile_is_without_file(struct cairn_bytes path, struct cairn_bytes build_id, uint64_t start);

#endif
