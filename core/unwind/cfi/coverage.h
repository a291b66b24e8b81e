/* SPDX-License-Identifier: MIT */
/*
 * Which pcs of a module have call frame information of the .eh_frame kind, so that a debugger can
 * unwind them itself.  The answers come from the sorted table of .eh_frame_hdr where there is one, else from
 * a list that is made by walking .eh_frame once.
 */
#ifndef CAIRN_UNWIND_CFI_COVERAGE_H
#define CAIRN_UNWIND_CFI_COVERAGE_H

#include "formats/ehframe/ehframe.h"

#include <cairn.h>

enum {
	CFI_CACHE = 64,
	CFI_BLOCK = 512,        /* table entries read at once when the search has narrowed so far */
	CFI_LIST_MAX = 1 << 22, /* FDEs */
	CFI_WALK_MAX = 1 << 26, /* bytes of .eh_frame walked */
};

struct cfi_range {
	uint64_t low, high; /* va */
	bool covered;
	uint64_t fde; /* its va, when covered */
};

enum cfi_state {
	CFI_UNTRIED,
	CFI_NONE,
	CFI_TABLE, /* .eh_frame_hdr in the target */
	CFI_LIST,  /* ranges, ascending */
};

/* Entries of the table that were read last, `count` from number `low` on; they stay as the module does. */
struct cfi_block {
	uint32_t low, count;
	uint8_t bytes[(CFI_BLOCK + 1) *
	              EHFRAME_TABLE_ENTRY]; /* one more shows where the last one ends */
};

struct cfi_coverage {
	enum cfi_state state;
	uint64_t header, frames; /* va; 0: not known */
	uint32_t header_size;    /* 0: there is none */
	uint32_t count;
	bool damaged; /* the table contradicts .eh_frame, or itself: cfi_coverage_walk() does without it */
	bool walked;  /* that was tried */
	uint64_t cie; /* the CIE read last, and its encoding */
	uint8_t encoding;
	struct cfi_block block;
	struct cfi_range *list;
	size_t list_count, list_room;
	struct cfi_range cache[CFI_CACHE];
};

/* Where the bytes are: the target, and what to add to a va. */
struct cfi_memory {
	const struct cairn_target *target;
	uint64_t bias;
	bool big;
	uint8_t word; /* bytes of an address of the program: 4, else 8 */
};

/* Where in the target `va` is; the sum is modulo 2^64, since a bias may be negative. */
static inline uint64_t cfi_memory_pc(const struct cfi_memory *view, uint64_t va)
{
	return va + view->bias;
}

/*
 * Make `cfi` ready from the header at `cfi->header`; false when it has no search table that can be used: then
 * `cfi->frames` is where .eh_frame is, or 0.
 */
bool cfi_coverage_open_header(struct cfi_coverage *cfi, const struct cfi_memory *view,
                              uint64_t size);

/*
 * Make it ready by walking the entries at `frames`, up to `size` bytes.  Functions must be in
 * [low, high), else it is no .eh_frame.  What was known through a table is forgotten; when this returns
 * false the table stays.
 */
bool cfi_coverage_walk(struct cfi_coverage *cfi, const struct cfi_memory *view, uint64_t frames,
                       uint64_t size, uint64_t low, uint64_t high);

/* What is known of va: which FDE covers it, or that none does.  Only in TABLE and LIST. */
const struct cfi_range *cfi_coverage_find(struct cfi_coverage *cfi, const struct cfi_memory *view,
                                          uint64_t va);

/*
 * The FDE of that number, in the order of the table or list; false past the last, and where the table cannot be read.  Only in TABLE and LIST.  One that
 * cannot be read is not `covered`.
 */
bool cfi_coverage_fde(struct cfi_coverage *cfi, const struct cfi_memory *view, size_t number,
                      struct cfi_range *range);

void cfi_coverage_finish(struct cfi_coverage *cfi);

#endif
