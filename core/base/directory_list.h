/* SPDX-License-Identifier: MIT */
/* Directories as users write them: "DIR:DIR". */
#ifndef CAIRN_BASE_DIRECTORY_LIST_H
#define CAIRN_BASE_DIRECTORY_LIST_H

#include <cairn.h>

#include <string.h>

/*
 * Longer names are cut to this length, so that a length fits an int. No path buffer holds as much.
 */
enum { DIRECTORY_LIST_NAME_MAX = 1 << 16 };

/*
 * Set *directory to the next nonempty directory of *rest, which moves past it. Returns false at the
 * end. A NULL list is empty.
 */
static inline bool directory_list_next(const char **rest, struct cairn_bytes *directory)
{
	while (*rest && **rest) {
		const char *name = *rest;
		const size_t size = strcspn(name, ":");

		*rest += size + (name[size] == ':');
		*directory = (struct cairn_bytes){ (const uint8_t *)name,
			                           size < DIRECTORY_LIST_NAME_MAX
			                                   ? size
			                                   : DIRECTORY_LIST_NAME_MAX };
		if (size > 0)
			return true;
	}
	return false;
}

#endif
