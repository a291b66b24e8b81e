/* SPDX-License-Identifier: MIT */
/*
 * Maps the source files that functions name to numbers that a writer assigns on demand. The numbers
 * are valid for one file table and are forgotten when a function comes with another one.
 */
#ifndef CAIRN_MODEL_FILE_MAP_H
#define CAIRN_MODEL_FILE_MAP_H

#include "function.h"

#include <stddef.h>

#define FILE_MAP_NONE UINT32_MAX /* file without a number so far */

struct file_map {
	const struct function_file *files; /* identity of the file table, with `set` */
	uint64_t set;
	uint32_t *number; /* number that the writer assigned, or FILE_MAP_NONE */
	size_t count, room;
};

/*
 * Switch to the file table of `function`. number[] then has an entry for each file, and always one
 * for file 0. A function that names no file leaves the map alone, so that it does not discard the
 * numbers. Return false if allocation fails.
 */
bool file_map_begin(struct file_map *map, const struct function *function);
void file_map_finish(struct file_map *map);

#endif
