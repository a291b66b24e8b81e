/* SPDX-License-Identifier: MIT */
/*
 * Helpers for paths: the last component, and lists of directories as users write them, "DIR:DIR".
 */
#ifndef CAIRN_BASE_PATH_H
#define CAIRN_BASE_PATH_H

#include <cairn.h>

#include <string.h>

/*
 * Return the part after the last slash, or the whole path if it has no slash. The data of an empty
 * path may be NULL.
 */
static inline struct cairn_bytes base_name(struct cairn_bytes path)
{
	size_t start = path.size;

	while (start > 0 && path.data[start - 1] != '/')
		start--;
	return start > 0 ? (struct cairn_bytes){ path.data + start, path.size - start } : path;
}

static inline const char *base_name_text(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * Maximum length of a directory in a list. A longer one is truncated, so that its length fits into
 * an int. This loses nothing, because such a directory fits into no path buffer anyway.
 */
enum { DIRECTORY_LIST_NAME_MAX = 1 << 16 };

/*
 * Set *directory to the next nonempty directory in *rest, and advance *rest. Return false at the
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
