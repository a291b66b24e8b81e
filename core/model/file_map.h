/* SPDX-License-Identifier: MIT */
/*
 * The file numbers that a writer assigns on demand to the source files that functions name. They
 * hold for one set of files, and are forgotten when a function comes with another one.
 */
#ifndef CAIRN_MODEL_FILE_MAP_H
#define CAIRN_MODEL_FILE_MAP_H

#include "function.h"

#include <stddef.h>

#define FILE_MAP_NONE UINT32_MAX /* nobody asked yet */

struct file_map {
	const struct function_file *files; /* the set: where it is, */
	uint64_t set;                      /* and its number */
	uint32_t *number;                  /* FILE_MAP_NONE, or what the writer put there */
	size_t count, room;
};

/*
 * The files of this function from now on: number[] has an entry for each of them, and always one
 * for file 0.  A function that names no file leaves the map alone.  False when memory is short.
 */
bool file_map_begin(struct file_map *map, const struct function *function);
void file_map_finish(struct file_map *map);

#endif
