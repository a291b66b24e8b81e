/* SPDX-License-Identifier: MIT */
/* A bound on what is read of a file whose records share their bytes. */
#ifndef CAIRN_FORMATS_GSYM_WALK_H
#define CAIRN_FORMATS_GSYM_WALK_H

#include "gsym.h"

/*
 * For those who read all functions.  Records may share their bytes, so that a file of a megabyte can
 * have more to read than ends in a day: no writer makes such a file, and the bytes of records are
 * counted each time that they are read, up to a multiple of the file's.
 */
enum {
	GSYM_WALK_TIMES = 2,       /* times the size of the file; writers share nothing */
	GSYM_WALK_LEAST = 1 << 16, /* bytes, of small files */
};

struct gsym_walk {
	const struct gsym *gsym;
	struct allowance bytes;
};

struct gsym_walk gsym_walk(const struct gsym *gsym);

/*
 * Before function `index` is read.  False: its record and those before it are more than the walk may
 * read, and it is to be left out, with *fault.  True also for one that cannot be read at all.
 */
bool gsym_walk_take(struct gsym_walk *walk, uint32_t index, struct cairn_fault *fault);

#endif
