/* SPDX-License-Identifier: MIT */
/* Rules for unwinding code of HotSpot on amd64, from the code cache in the memory of its process, of which nothing is trusted. */
#ifndef CAIRN_PROCESS_STACKS_HOTSPOT_H
#define CAIRN_PROCESS_STACKS_HOTSPOT_H

#include "model/snapshot.h"

enum {
	HOTSPOT_FIELDS = 16,
	HOTSPOT_HEAPS = 8,      /* HotSpot makes one or three */
	HOTSPOT_HOPS = 1 << 23, /* bytes of maps that are read for all frames */
};

/* A part of the code cache. */
struct hotspot_heap {
	struct cairn_range code, map; /* the map has a byte for each 2^log2 bytes of code */
	uint64_t log2;
};

struct hotspot {
	struct cairn_target memory, stacks;
	uint32_t known;                 /* a bit for each field */
	uint64_t field[HOTSPOT_FIELDS]; /* offsets in structures, and addresses of variables */
	uint64_t header;                /* bytes before each blob */
	struct cairn_range interpreter;
	struct hotspot_heap heaps[HOTSPOT_HEAPS];
	size_t heap_count;
	uint32_t hops_left;
};

/* Tell by its path whether a module is the virtual machine. */
bool hotspot_is_module(struct cairn_bytes path);

/*
 * Read the offsets of fields, and the places of the code cache. Return false, and leave the module without rules, if it exports none
 * or the cache cannot be read. `memory` reads the process as it is now; `stacks` reads the stacks as they were when the registers
 * were taken.
 */
bool hotspot_open(struct hotspot *h, const struct snapshot_module *module,
                  struct cairn_target memory, struct cairn_target stacks);

/* Find the rule for `pc`: the pc of an innermost frame, and for a caller an address inside its call. */
bool hotspot_find_rule(struct hotspot *h, uint64_t pc, const struct cairn_registers *frame,
                       struct cairn_rule *rule);

#endif
