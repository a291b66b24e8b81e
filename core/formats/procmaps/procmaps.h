/* SPDX-License-Identifier: MIT */
/*
 * The text of /proc/PID/maps, as Linux gives it of a process and as minidumps keep it: line by line
 * to mappings. The format is described in docs/formats/procmaps.md.
 *
 *	struct procmaps maps = procmaps_open(bytes);
 *	struct procmaps_entry entry;
 *	while (procmaps_next(&maps, &entry))
 *		... entry.low, entry.high, entry.path
 *
 * A line that breaks the grammar is passed over and counted. Nothing is allocated.
 */
#ifndef CAIRN_FORMATS_PROCMAPS_H
#define CAIRN_FORMATS_PROCMAPS_H

#include "model/snapshot.h"

struct procmaps {
	struct cairn_bytes in;
	size_t at;
	uint64_t bad;     /* lines that were passed over */
	size_t first_bad; /* offset of the first of them */
};

struct procmaps_entry {
	uint64_t low, high; /* low < high */
	bool readable, writable, executable, shared;
	uint64_t offset; /* in bytes of the file */
	uint64_t inode;  /* 0: not a file */
	struct cairn_bytes
		path; /* as written: a newline is \012; without " (deleted)"; may be empty */
	bool deleted; /* the path ended with " (deleted)" */
};

struct procmaps procmaps_open(struct cairn_bytes text);
bool procmaps_next(struct procmaps *maps, struct procmaps_entry *entry);

/* As a snapshot has it; the path stays borrowed. */
struct snapshot_mapping procmaps_mapping(const struct procmaps_entry *entry);

#endif
