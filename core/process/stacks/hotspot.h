/* SPDX-License-Identifier: MIT */
/*
 * Finds unwind rules for HotSpot code on amd64 by reading the JVM's code cache. Validates all data
 * from the process.
 */
#ifndef CAIRN_PROCESS_STACKS_HOTSPOT_H
#define CAIRN_PROCESS_STACKS_HOTSPOT_H

#include "base/snapshot.h"

enum {
	HOTSPOT_FIELDS = 16,
	HOTSPOT_HEAPS = 8, /* maximum number of heaps; the code cache consists of one or three */
	/* maximum number of segment map bytes to read for all frames together */
	HOTSPOT_HOPS = 1 << 23,
};

struct hotspot_heap {
	struct cairn_range code, map; /* `map` has one byte per 2^log2 bytes of `code` */
	uint64_t log2;
};

struct hotspot {
	struct cairn_target memory, stacks;
	uint32_t known;
	/* Field offsets, and addresses of static variables. */
	uint64_t field[HOTSPOT_FIELDS];
	uint64_t header;
	struct cairn_range interpreter;
	struct hotspot_heap heaps[HOTSPOT_HEAPS];
	size_t heap_count;
	uint32_t hops_left;
};

bool hotspot_is_module(struct cairn_bytes path);

/*
 * Read the field offsets and locate the code cache. Return false if the module does not export the
 * offsets or the cache is unreadable; JIT code is then unwound without rules. `memory` reads the
 * current memory of the process; `stacks` reads the stacks as captured together with the registers.
 */
bool hotspot_open(struct hotspot *h, const struct snapshot_module *module,
                  struct cairn_target memory, struct cairn_target stacks);

/*
 * Find the unwind rule for `pc`. In an innermost frame, `pc` is the next instruction; in all other
 * frames it lies within the call instruction.
 */
bool hotspot_find_rule(struct hotspot *h, uint64_t pc, const struct cairn_registers *frame,
                       struct cairn_rule *rule);

#endif
