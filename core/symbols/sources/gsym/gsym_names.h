/* SPDX-License-Identifier: MIT */
/*
 * The names of all functions of a file, under a bound.  Whoever takes them looks at every byte of
 * each, and may keep each text once; but names may share their bytes, and one long text may be
 * the name of every function.  So bytes are counted each time.
 */
#ifndef CAIRN_SYMBOLS_SOURCES_GSYM_GSYM_NAMES_H
#define CAIRN_SYMBOLS_SOURCES_GSYM_GSYM_NAMES_H

#include "formats/gsym/gsym.h"

enum {
	GSYM_NAMES_TIMES = 64,      /* times the file; programs in C++ have some 10 */
	GSYM_NAMES_TAILS = 4,       /* times the strings, for names that begin inside of another */
	GSYM_NAMES_LEAST = 1 << 16, /* bytes of either, for small files */
};

struct gsym_names {
	const struct gsym *gsym;
	uint64_t left, tails; /* bytes */
};

struct gsym_names gsym_names(const struct gsym *gsym);

/* The text at the offset; else it is empty, and what is wrong is returned. */
const char *gsym_names_read(struct gsym_names *names, uint64_t offset, struct cairn_bytes *text);

/* The bytes of the function_path() behind a name that was read; 0 when there is none, or there are too many. */
uint32_t gsym_names_path(struct gsym_names *names, struct cairn_bytes name);

#endif
