/* SPDX-License-Identifier: MIT */
/*
 * Reads the mappings in /proc/PID/maps, from a running process or from a minidump.
 * docs/formats/procmaps.md describes the format.
 *
 *	struct procmaps maps = procmaps_open(bytes);
 *	struct procmaps_entry entry;
 *	while (procmaps_next(&maps, &entry))
 *		... entry.low, entry.high, entry.path
 *
 * Invalid lines are skipped and counted. Nothing is allocated.
 */
#ifndef CAIRN_FORMATS_PROCMAPS_H
#define CAIRN_FORMATS_PROCMAPS_H

#include "base/snapshot.h"

struct procmaps {
	struct cairn_bytes in;
	size_t at;
	uint64_t bad;
	size_t first_bad;
};

struct procmaps_entry {
	uint64_t low, high; /* low < high */
	bool readable, writable, executable, shared;
	uint64_t offset; /* file offset in bytes */
	uint64_t inode;  /* inode number; 0 if the mapping is anonymous */
	/*
	 * path as printed by the kernel, with newlines as \012, but without " (deleted)"; may be
	 * empty
	 */
	struct cairn_bytes path;
	bool deleted;
};

struct procmaps procmaps_open(struct cairn_bytes text);
bool procmaps_next(struct procmaps *maps, struct procmaps_entry *entry);

/* Convert an entry to a snapshot mapping, which borrows the path. */
struct snapshot_mapping procmaps_mapping(const struct procmaps_entry *entry);

#endif
