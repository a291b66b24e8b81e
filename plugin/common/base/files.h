/* SPDX-License-Identifier: MIT */
/*
 * Resolves file names, reads whole files, and keeps unnamed files at fixed descriptors.
 *
 * File names from the user are made absolute: "~/" is replaced with the home directory, and
 * relative names are resolved against the debugger's current directory. The absolute name is kept
 * because the user may change the directory (cd) before the file is opened again.
 *
 *	struct text list = { .data = NULL };
 *	path_add_absolute(&list, "x.gsym", 6);       "/srv/x.gsym"
 */
#ifndef CAIRN_COMMON_BASE_FILES_H
#define CAIRN_COMMON_BASE_FILES_H

#include "common/base/text.h"

#include <cairn.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Add the absolute path of a file, or the name unchanged if the current directory is unknown. */
void path_add_absolute(struct text *text, const char *name, size_t size);

/*
 * Return true if the path is absolute and needs no quoting in any debugger command, because it
 * contains no space, colon, quote or dollar sign.
 */
bool path_is_plain(const char *path);

const char *path_last_part(const char *path);

/* Return true if `name` equals the path or its last component. */
bool path_is_called(const char *path, const char *name);

/* Add the absolute path of each directory in "DIR:DIR". Empty elements are skipped. */
void path_add_list(struct text *text, const char *list);

/*
 * Reads whole files into memory. Files are not mapped, because truncating a mapped file would crash
 * the debugger.
 */
enum { FILE_BYTES_MAX = 1 << 30 };

/*
 * Read a regular file. The caller frees bytes->data with free(). Returns false if the file is not
 * regular, is empty or too large, or if allocation fails.
 */
bool file_bytes_read(const char *path, struct cairn_bytes *bytes);

/*
 * Unnamed files at fixed descriptor numbers. A GDB script accesses them as /proc/self/fd/NUMBER.
 * Because the numbers are fixed, the script and the module need not agree on a directory or pid,
 * and nothing has to be cleaned up. GDB's children, including the debugged program, do not inherit
 * the descriptors.
 */
bool memfile_free(int number);

/*
 * Create a file with these bytes at descriptor `number`, replacing any descriptor there. Returns
 * false and sets errno on failure.
 */
bool memfile_put(int number, const char *text, size_t size);

/*
 * Open the directory /proc/self/fd at descriptor `number`. A script refers to a file as
 * /proc/self/fd/FOLDER/FILE, where both are descriptor numbers; this path exists only if both
 * descriptors belong to cairn. Returns false and sets errno on failure.
 */
bool memfile_put_directory(int number);

/*
 * Create a sealed file with these bytes at an unused descriptor and return the descriptor. Returns
 * -1 and sets errno on failure.
 */
int memfile_sealed(const void *bytes, size_t size);

/* Return the size in bytes of the file at descriptor `number`, or 0 if there is no such file. */
size_t memfile_size(int number);

size_t memfile_get(int number, char *buffer, size_t size);

void memfile_empty(int number);
void memfile_close(int number);

#ifdef __cplusplus
}
#endif

#endif
