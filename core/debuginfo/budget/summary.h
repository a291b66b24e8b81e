/* SPDX-License-Identifier: MIT */
/* What reading a program's debugging information found: damage, dropped code and totals. */
#ifndef CAIRN_DEBUGINFO_BUDGET_SUMMARY_H
#define CAIRN_DEBUGINFO_BUDGET_SUMMARY_H

#include <cairn.h>

/*
 * Where damage is: an offset in a section; `unit` means something while units are read.
 * Of several readers the lowest unit counts.
 */
struct program_damage {
	struct cairn_fault fault; /* CAIRN_OK: none */
	const char *section;      /* NULL: the offset is one of the file */
	size_t unit;
};

/* Why something of DWARF is not among the functions. */
enum program_drop {
	PROGRAM_DROP_EMPTY,     /* a range that ends where it begins, or before */
	PROGRAM_DROP_TOMBSTONE, /* a range that the linker marked as dead: at -1, -2 */
	PROGRAM_DROP_OUTSIDE, /* a range outside of sections with instructions; also dead code at 0 */
	PROGRAM_DROP_NAMELESS, /* a function without any name */
	PROGRAM_DROP_INLINE,   /* an inlined call with no address inside its function */
	PROGRAM_DROPS
};

struct program_summary {
	uint64_t units;           /* that were read */
	uint64_t broken;          /* units that were given up before their end */
	uint64_t no_split;        /* units whose split half was not found */
	uint64_t functions, rows, inlines, calls;
	uint64_t repeated; /* copies of functions that were left out, where only one was wanted */
	uint64_t dropped[PROGRAM_DROPS];
	struct program_damage damage;
	bool exhausted; /* program_read() was MALFORMED: that is what `damage` describes */
};

#endif
