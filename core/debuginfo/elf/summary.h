/* SPDX-License-Identifier: MIT */
/* Findings of the readers of one program's debugging information: damage, discarded code, totals. */
#ifndef CAIRN_DEBUGINFO_ELF_SUMMARY_H
#define CAIRN_DEBUGINFO_ELF_SUMMARY_H

#include <cairn.h>

/*
 * The first damage in the debugging information. If several readers find damage, the one in the
 * lowest unit is reported.
 */
struct program_damage {
	struct cairn_fault fault;
	const char *section; /* section that the offset counts from; NULL for the file */
	size_t unit;
};

/* Reasons why code described by DWARF is dropped. */
enum program_drop {
	PROGRAM_DROP_EMPTY, /* empty or negative range */
	/* range at -1 or -2, where linkers move the ranges of discarded code */
	PROGRAM_DROP_TOMBSTONE,
	/* range outside executable sections; includes discarded code at 0 */
	PROGRAM_DROP_OUTSIDE,
	PROGRAM_DROP_NAMELESS,
	PROGRAM_DROP_INLINE, /* inlined call without an address inside its function */
	PROGRAM_DROPS
};

struct program_summary {
	uint64_t units;
	uint64_t broken;   /* units abandoned before their end */
	uint64_t no_split; /* units whose split half is missing */
	uint64_t functions, rows, inlines, calls;
	/* copies of functions that were skipped because only the first was requested */
	uint64_t repeated;
	uint64_t dropped[PROGRAM_DROPS];
	struct program_damage damage;
	bool exhausted; /* program_read() returned MALFORMED, as `damage` describes */
};

#endif
