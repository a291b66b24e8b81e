/* SPDX-License-Identifier: MIT */
/*
 * Finds unwind rules for HotSpot code on amd64 in the code cache of the process. Validates
 * everything read from the process.
 */
#ifndef CAIRN_PROCESS_STACKS_HOTSPOT_H
#define CAIRN_PROCESS_STACKS_HOTSPOT_H

#include "model/snapshot.h"

enum {
	HOTSPOT_FIELDS = 16,
	HOTSPOT_HEAPS = 8,      /* HotSpot has one or three code heaps */
	HOTSPOT_HOPS = 1 << 23, /* bytes of segment maps that are read for all frames together */
};

struct hotspot_heap {
	struct cairn_range code, map; /* `map` has one byte per 2^log2 bytes of code */
	uint64_t log2;
};

struct hotspot {
	struct cairn_target memory, stacks;
	uint32_t known;
	/* Offsets of fields, and addresses of static variables. */
	uint64_t field[HOTSPOT_FIELDS];
	uint64_t header;
	struct cairn_range interpreter;
	struct hotspot_heap heaps[HOTSPOT_HEAPS];
	size_t heap_count;
	uint32_t hops_left;
};

bool hotspot_is_module(struct cairn_bytes path);

/*
 * Read the field offsets and locate the code cache. Return false if the module does not export them
 * or the cache is unreadable; its code is then unwound without rules. `memory` reads the current
 * memory of the process; `stacks` reads the stacks as they were when the registers were captured.
 */
bool hotspot_open(struct hotspot *h, const struct snapshot_module *module,
                  struct cairn_target memory, struct cairn_target stacks);

/*
 * Find the rule for `pc`, which is exact for an innermost frame and lies inside the call for all
 * other frames.
 */
bool hotspot_find_rule(struct hotspot *h, uint64_t pc, const struct cairn_registers *frame,
                       struct cairn_rule *rule);

#endif
