/* SPDX-License-Identifier: MIT */
/* The last component of a path. */
#ifndef CAIRN_BASE_BASE_NAME_H
#define CAIRN_BASE_BASE_NAME_H

#include <cairn.h>

#include <string.h>

/*
 * Return the part after the last slash, or all of `path` if it has no slash. The data of an empty
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

#endif
