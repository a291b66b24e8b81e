/* SPDX-License-Identifier: MIT */
/*
 * File names given by the user, made absolute. Relative names are resolved against the debugger's
 * current directory (cd), which may have changed when the file is looked for again, and "~/"
 * against the home directory.
 *
 *	struct text list = { .data = NULL };
 *	path_add_absolute(&list, "x.gsym", 6);       "/srv/x.gsym"
 */
#ifndef CAIRN_COMMON_BASE_PATH_H
#define CAIRN_COMMON_BASE_PATH_H

#include "common/base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Add the absolute path of one file, or the name unchanged if the current directory is unknown. */
void path_add_absolute(struct text *text, const char *name, size_t size);

/*
 * Return true if the path is absolute and needs no quoting in any command: no blank, colon, quote
 * or dollar sign.
 */
bool path_is_plain(const char *path);

const char *path_last_part(const char *path);

/* Return true if `name` equals the path or its last part. */
bool path_is_called(const char *path, const char *name);

/* Add the absolute path of each directory in "DIR:DIR". Empty elements are skipped. */
void path_add_list(struct text *text, const char *list);

#ifdef __cplusplus
}
#endif

#endif
