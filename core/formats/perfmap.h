/* SPDX-License-Identifier: MIT */
/*
 * Reads perf maps, the text files in which programs with a JIT compiler store the names of JIT
 * code.
 *
 *	struct perfmap map = perfmap_open(bytes);
 *	struct perfmap_entry entry;
 *	while (perfmap_next(&map, &entry))
 *		... entry.start, entry.size, entry.name
 *
 * Invalid lines are skipped. Nothing is allocated.
 */
#ifndef CAIRN_FORMATS_PERFMAP_H
#define CAIRN_FORMATS_PERFMAP_H

#include <cairn.h>

struct perfmap {
	struct cairn_bytes in;
	size_t at;
};

struct perfmap_entry {
	uint64_t start, size;    /* size is not 0, and start + size does not wrap */
	struct cairn_bytes name; /* not empty; at most PERFMAP_NAME bytes */
};

enum { PERFMAP_NAME = 4096 };

struct perfmap perfmap_open(struct cairn_bytes bytes);
bool perfmap_next(struct perfmap *map, struct perfmap_entry *entry);

#endif
