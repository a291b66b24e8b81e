/* SPDX-License-Identifier: MIT */
/*
 * The writable memory of a process or core, from what GDB prints of it: `info proc mappings`, which
 * lists the permissions of a live process (of a core it does not), and `maint info sections`, in
 * which the segments of a core stand.  Text in, one range after the other out.
 *
 *	struct writable_ranges ranges = writable_ranges_open(text);
 *	struct cairn_range range;
 *	while (writable_ranges_next(&ranges, &range))
 *		...
 */
#ifndef CAIRN_GDB_QUERIES_WRITABLE_RANGES_H
#define CAIRN_GDB_QUERIES_WRITABLE_RANGES_H

#include <cairn.h>

struct writable_ranges {
	struct cairn_bytes text;
	bool live; /* mappings with permissions are in the text */
};

struct writable_ranges writable_ranges_open(struct cairn_bytes text);
bool writable_ranges_next(struct writable_ranges *ranges, struct cairn_range *range);

#endif
