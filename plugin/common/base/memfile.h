/* SPDX-License-Identifier: MIT */
/*
 * Unnamed files at fixed descriptor numbers. A GDB script knows the numbers and reads and writes
 * the files as /proc/self/fd/NUMBER, so there is no directory or pid to agree on, and nothing to
 * clean up. Children of GDB, including the program being debugged, do not inherit them.
 */
#ifndef CAIRN_COMMON_BASE_MEMFILE_H
#define CAIRN_COMMON_BASE_MEMFILE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

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
