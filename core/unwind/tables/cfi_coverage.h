/* SPDX-License-Identifier: MIT */
/*
 * Tells which pcs of a module have call frame information of the .eh_frame kind, so that a debugger
 * can unwind them itself. Answers come from the sorted table of .eh_frame_hdr if there is one,
 * otherwise from a list built by walking .eh_frame once.
 */
#ifndef CAIRN_UNWIND_TABLES_CFI_COVERAGE_H
#define CAIRN_UNWIND_TABLES_CFI_COVERAGE_H

#include "formats/ehframe/ehframe.h"

#include <cairn.h>

enum {
	CFI_CACHE = 64,
	CFI_BLOCK = 512, /* table entries per read once a search has narrowed that far */
	CFI_LIST_MAX = 1 << 22,
	CFI_WALK_MAX = 1 << 26,
};

struct cfi_range {
	uint64_t low, high; /* va */
	bool covered;
	uint64_t fde;
};

enum cfi_state {
	CFI_UNTRIED,
	CFI_NONE,
	CFI_TABLE, /* sorted table of .eh_frame_hdr, in target memory */
	CFI_LIST,
};

/*
 * The table entries that were read last: `count` from index `low` on. They cannot change while the
 * module stays.
 */
struct cfi_block {
	uint32_t low, count;
	/* one more entry shows where the last one ends */
	uint8_t bytes[(CFI_BLOCK + 1) * EHFRAME_TABLE_ENTRY];
};

struct cfi_coverage {
	enum cfi_state state;
	uint64_t header, frames; /* va; 0: unknown */
	uint32_t header_size;    /* 0 without .eh_frame_hdr */
	uint32_t count;
	/* table contradicts .eh_frame or itself; cfi_coverage_walk() works without it */
	bool damaged;
	bool walked;
	uint64_t cie; /* the CIE that was read last, and its encoding */
	uint8_t encoding;
	struct cfi_block block;
	struct cfi_range *list;
	size_t list_count, list_room;
	struct cfi_range cache[CFI_CACHE];
};

/* Access to target memory by linked address. */
struct cfi_memory {
	const struct cairn_target *target;
	uint64_t bias;
	bool big;
	uint8_t word; /* address size of the program: 4, otherwise 8 bytes */
};

/* Return the pc of `va`. The sum wraps because a bias may be negative. */
static inline uint64_t cfi_memory_pc(const struct cfi_memory *view, uint64_t va)
{
	return va + view->bias;
}

/*
 * Set up `cfi` from the header at `cfi->header`. Return false if it has no usable search table;
 * `cfi->frames` is then the address of .eh_frame, or 0.
 */
bool cfi_coverage_open_header(struct cfi_coverage *cfi, const struct cfi_memory *view,
                              uint64_t size);

/*
 * Set up `cfi` by walking up to `size` bytes of entries at `frames`. Functions outside [low, high)
 * are ignored; if none lies inside, this is not .eh_frame and false is returned. On success the
 * list replaces what a table provided; on failure the table stays.
 */
bool cfi_coverage_walk(struct cfi_coverage *cfi, const struct cfi_memory *view, uint64_t frames,
                       uint64_t size, uint64_t low, uint64_t high);

/*
 * Return the range of the FDE that covers va, or a range around va with `covered` unset. Valid only
 * in states TABLE and LIST.
 */
const struct cfi_range *cfi_coverage_find(struct cfi_coverage *cfi, const struct cfi_memory *view,
                                          uint64_t va);

/*
 * Return entry `number` of the table or list. Return false past the last entry, or if the table is
 * unreadable. An entry whose FDE is unreadable has `covered` unset. Valid only in states TABLE and
 * LIST.
 */
bool cfi_coverage_fde(struct cfi_coverage *cfi, const struct cfi_memory *view, size_t number,
                      struct cfi_range *range);

void cfi_coverage_finish(struct cfi_coverage *cfi);

#endif
