/* SPDX-License-Identifier: MIT */
/*
 * Names of files as the user gives them: they count from the debugger's current directory (cd), which may be
 * another one when the file is looked for again, and from the home directory after "~/".
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

/* Adds the name of one file; as it is, when the current directory is not known. */
void path_add_absolute(struct text *text, const char *name, size_t size);

/* Is it whole, and of letters that every command takes as they are: no blank, colon, quote or dollar? */
bool path_is_plain(const char *path);

/* Returns what follows the last slash. */
const char *path_last_part(const char *path);

/* Is that what the user calls the file: its path, or the last part of it? */
bool path_is_called(const char *path, const char *name);

/* Does so for each folder of "DIR:DIR", without the empty ones. */
void path_add_list(struct text *text, const char *list);

#ifdef __cplusplus
}
#endif

#endif
