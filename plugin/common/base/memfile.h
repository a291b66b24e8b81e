/* SPDX-License-Identifier: MIT */
/*
 * Files without a name at descriptor numbers that a GDB script knows: it reads and writes them as
 * /proc/self/fd/NUMBER.  No folder, no process number, nothing to clean up; children of GDB, the
 * program being debugged among them, do not inherit them.
 */
#ifndef CAIRN_COMMON_BASE_MEMFILE_H
#define CAIRN_COMMON_BASE_MEMFILE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Is the number free? */
bool memfile_free(int number);

/* Puts a new file with these bytes at the number; what was there is let go.  False: see errno. */
bool memfile_put(int number, const char *text, size_t size);

/*
 * Opens /proc/self/fd at the number, for a script: the path FOLDER/FILE leads to the file only
 * if both numbers are ours.  False: see errno.
 */
bool memfile_put_folder(int number);

/*
 * A file with these bytes that nobody can change any more, at a number that was free; -1: errno
 * gives the reason.
 */
int memfile_sealed(const void *bytes, size_t size);

/* How many bytes it holds; 0 also when there is none. */
size_t memfile_size(int number);

/* Its bytes from the start; how many were read. */
size_t memfile_get(int number, char *buffer, size_t size);

void memfile_empty(int number);
void memfile_close(int number);

#ifdef __cplusplus
}
#endif

#endif
