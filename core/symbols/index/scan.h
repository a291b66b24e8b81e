/* SPDX-License-Identifier: MIT */
/*
 * The records of a symbfile that hold one address, by reading it all: for explanations, and for
 * tests of the index.
 */
#ifndef CAIRN_SYMBOLS_INDEX_SCAN_H
#define CAIRN_SYMBOLS_INDEX_SCAN_H

#include "formats/symbfile/symbfile.h"

enum { SYMBFILE_SCAN_MAX = 4096 }; /* records that hold one address; more are counted */

/* A record that holds the address.  Texts are those of the file. */
struct symbfile_found {
	uint64_t start, length;
	uint64_t offset;                 /* of the frame */
	uint32_t depth, call_line, line; /* line: of its own line table at the address */
	struct cairn_bytes function, file, call_file;
	bool has_file, has_call_file, has_lines;
	bool counts; /* it is the one of its depth */
};

struct symbfile_scan {
	struct symbfile_found *found; /* by depth; of one depth, the one that counts first */
	size_t count, room, more;
	bool has_below, has_above; /* ranges that end before and begin after it: the nearest */
	uint64_t below, above;     /* just after the end, and the start */
	uint64_t ranges, pads;     /* in the file */
	struct cairn_fault fault;
};

/* NO_MEMORY; else scan->fault shows whether the file was sound to its end. */
CAIRN_MUST_USE enum cairn_status symbfile_scan(struct cairn_bytes file, uint64_t va,
                                               struct symbfile_scan *scan);
void symbfile_scan_finish(struct symbfile_scan *scan);

#endif
