/* SPDX-License-Identifier: MIT */
/*
 * The writable or readable memory of a process or core, from what GDB prints of it: `info proc mappings`, which
 * lists the permissions of a live process (of a core it does not), and `maint info sections`, in
 * which the segments of a core stand.  Text in, one range after the other out.
 *
 *	struct memory_ranges ranges = memory_ranges_open(text, MEMORY_WRITABLE);
 *	struct cairn_range range;
 *	while (memory_ranges_next(&ranges, &range))
 *		...
 */
#ifndef CAIRN_GDB_QUERIES_MEMORY_RANGES_H
#define CAIRN_GDB_QUERIES_MEMORY_RANGES_H

#include "common/session/debugger.h"

enum { MEMORY_CORE_UNKNOWN = 1 << 30 }; /* bytes searched of a core whose file is not found */

/*
 * A core has no more bytes than its file, whatever its segments say: GDB makes zeros of the rest.  Whoever
 * opens the ranges gives the size of that file, if it can be had.  What a core leaves out counts as readable,
 * because GDB reads it from the files of modules.
 */
struct memory_ranges {
	struct cairn_bytes text;
	enum memory_access access; /* that is wanted */
	bool live;                 /* mappings with permissions are in the text */
	struct cairn_bytes core;   /* the path of the core's file; empty: none, or not known */
	uint64_t core_size;        /* of that file; at first MEMORY_CORE_UNKNOWN */
	uint64_t listed;           /* bytes of segments so far */
};

struct memory_ranges memory_ranges_open(struct cairn_bytes text, enum memory_access access);
bool memory_ranges_next(struct memory_ranges *ranges, struct cairn_range *range);

#endif
