/* SPDX-License-Identifier: MIT */
/* Bounds the reading of a GSYM file whose records share their bytes. */
#ifndef CAIRN_FORMATS_GSYM_WALK_H
#define CAIRN_FORMATS_GSYM_WALK_H

#include "gsym.h"

/*
 * Limits the work of reading all functions of a file. In a malicious file, records can overlap so
 * that a megabyte takes longer than a day to read. No writer does that, so the bytes of each record
 * are counted every time it is read, up to a multiple of the file size.
 */
enum {
	GSYM_WALK_TIMES = 2,       /* limit relative to the file size; writers do not share bytes */
	GSYM_WALK_LEAST = 1 << 16, /* minimum limit in bytes, for small files */
};

struct gsym_walk {
	const struct gsym *gsym;
	struct allowance bytes;
};

struct gsym_walk gsym_walk(const struct gsym *gsym);

/*
 * Call this before reading function `index`. Return false and set *fault if the limit is exceeded,
 * in which case the function must not be read. Return true for a record that cannot be read at all.
 */
bool gsym_walk_take(struct gsym_walk *walk, uint32_t index, struct cairn_fault *fault);

#endif
