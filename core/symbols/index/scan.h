/* SPDX-License-Identifier: MIT */
/*
 * Finds the records of a symbfile that hold one address by reading the whole file. Used to explain
 * answers, and to test the index.
 */
#ifndef CAIRN_SYMBOLS_INDEX_SCAN_H
#define CAIRN_SYMBOLS_INDEX_SCAN_H

#include "formats/symbfile.h"

enum { SYMBFILE_SCAN_MAX = 4096 };

/* A record that holds the address. The strings are borrowed from the file. */
struct symbfile_found {
	uint64_t start, length;
	uint64_t offset;                 /* file offset of the record's frame */
	uint32_t depth, call_line, line; /* `line` comes from the record's own line table */
	struct cairn_bytes function, file, call_file;
	bool has_file, has_call_file, has_lines;
	bool counts; /* preferred to the other records of the same depth */
};

struct symbfile_scan {
	struct symbfile_found *found; /* sorted by depth; within one depth the winner comes first */
	size_t count, room, more;
	/* true if a range ends before, or begins after, the address */
	bool has_below, has_above;
	/* end of the nearest range before the address, start of the nearest range after it */
	uint64_t below, above;
	uint64_t ranges, pads;
	struct cairn_fault fault;
};

/*
 * Read `file` and collect the records that hold `va`. Fails only with NO_MEMORY; scan->fault
 * reports damage.
 */
CAIRN_MUST_USE enum cairn_status symbfile_scan(struct cairn_bytes file, uint64_t va,
                                               struct symbfile_scan *scan);
void symbfile_scan_finish(struct symbfile_scan *scan);

#endif
