/* SPDX-License-Identifier: MIT */
/*
 * File names, whole files in memory, and files without a name.
 *
 * File names given by the user are made absolute. Relative names are resolved against the
 * debugger's current directory (cd), which may have changed when the file is looked for again, and
 * "~/" against the home directory.
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

/*
 * Copies of whole files in memory. A file that is truncated while it is mapped would crash the
 * debugger, so files are read, not mapped.
 */
enum { FILE_BYTES_MAX = 1 << 30 };

/*
 * Read a file. The caller frees bytes->data with free(). Returns false if it is not a regular file,
 * is empty or too large, or memory is short.
 */
bool file_bytes_read(const char *path, struct cairn_bytes *bytes);

/*
 * Unnamed files at fixed descriptor numbers. A GDB script knows the numbers and reads and writes
 * the files as /proc/self/fd/NUMBER, so there is no directory or pid to agree on, and nothing to
 * clean up. Children of GDB, including the program being debugged, do not inherit them.
 */
bool memfile_free(int number);

/*
 * Put a new file with these bytes at the number, replacing any descriptor there. Returns false with
 * errno set on failure.
 */
bool memfile_put(int number, const char *text, size_t size);

/*
 * Open /proc/self/fd at the number, for a script: the path FOLDER/FILE leads to the file only if
 * both descriptors belong to cairn. Returns false with errno set on failure.
 */
bool memfile_put_folder(int number);

/*
 * Create a sealed file with these bytes, which can no longer be changed, at an unused number.
 * Returns the number, or -1 with errno set.
 */
int memfile_sealed(const void *bytes, size_t size);

/* Return the size of the file in bytes; 0 also if there is no such file. */
size_t memfile_size(int number);

/* Read the file from its start. Returns the number of bytes read. */
size_t memfile_get(int number, char *buffer, size_t size);

void memfile_empty(int number);
void memfile_close(int number);

#ifdef __cplusplus
}
#endif

#endif
