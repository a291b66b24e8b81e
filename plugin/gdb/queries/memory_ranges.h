/* SPDX-License-Identifier: MIT */
/*
 * The writable or readable memory of a process or core, parsed from the output of two GDB commands:
 * `info proc mappings`, which lists permissions only for a live process, and `maint info sections`,
 * which lists the segments of a core.
 *
 *	struct memory_ranges ranges = memory_ranges_open(text, MEMORY_WRITABLE);
 *	struct cairn_range range;
 *	while (memory_ranges_next(&ranges, &range))
 *		...
 */
#ifndef CAIRN_GDB_QUERIES_MEMORY_RANGES_H
#define CAIRN_GDB_QUERIES_MEMORY_RANGES_H

#include "common/session/debugger.h"

enum { MEMORY_CORE_UNKNOWN = 1 << 30 }; /* bytes searched in a core whose file is not found */

/*
 * State of the parser. A core has no more bytes than its file, whatever its segments claim, because
 * GDB reads the rest as zeros; the caller therefore sets core_size to the size of the file if it is
 * known. Memory that is left out of a core counts as readable, because GDB reads it from the files
 * of modules.
 */
struct memory_ranges {
	struct cairn_bytes text;
	enum memory_access access;
	bool live; /* the text lists mappings with permissions */
	/* path of the core file; empty without a core or if unknown */
	struct cairn_bytes core;
	uint64_t core_size; /* size of the core file; initially MEMORY_CORE_UNKNOWN */
	uint64_t listed;    /* total bytes of the segments returned so far */
};

struct memory_ranges memory_ranges_open(struct cairn_bytes text, enum memory_access access);
bool memory_ranges_next(struct memory_ranges *ranges, struct cairn_range *range);

#endif
