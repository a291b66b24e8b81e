/* SPDX-License-Identifier: MIT */
/*
 * Tells which pcs of a module are covered by .eh_frame, because debuggers can unwind these
 * themselves. Uses the sorted table in .eh_frame_hdr if there is one, otherwise a list built by
 * walking .eh_frame once.
 */
#ifndef CAIRN_UNWIND_TABLES_CFI_COVERAGE_H
#define CAIRN_UNWIND_TABLES_CFI_COVERAGE_H

#include "formats/ehframe/cfi.h"
#include "formats/ehframe/ehframe.h"

#include <cairn.h>

enum {
	CFI_CACHE = 64,
	/* a binary search that has narrowed to this many table entries reads them at once */
	CFI_BLOCK = 512,
	CFI_LIST_MAX = 1 << 22,
	CFI_WALK_MAX = 1 << 26,
};

struct cfi_range {
	uint64_t low, high;
	bool covered;
	uint64_t fde;
};

enum cfi_state {
	CFI_UNTRIED,
	CFI_NONE,
	CFI_TABLE, /* use the sorted table of .eh_frame_hdr in target memory */
	CFI_LIST,
};

/*
 * Cache of the table entries read most recently: `count` entries, starting at index `low`. They
 * cannot change while the module stays loaded.
 */
struct cfi_block {
	uint32_t low, count;
	/* one extra entry, which shows where the last function ends */
	uint8_t bytes[(CFI_BLOCK + 1) * EHFRAME_TABLE_ENTRY];
};

struct cfi_coverage {
	enum cfi_state state;
	uint64_t header, frames; /* link-time addresses; 0 if unknown */
	uint32_t header_size;    /* 0 without .eh_frame_hdr */
	uint32_t count;
	/* table contradicts .eh_frame or itself; cfi_coverage_walk() works without the table */
	bool damaged;
	bool walked;
	/* address of the latest CIE, whose address encoding is cached in `encoding` */
	uint64_t cie;
	uint8_t encoding;
	struct cfi_block block;
	struct cfi_range *list;
	size_t list_count, list_capacity;
	struct cfi_range cache[CFI_CACHE];
};

struct cfi_memory {
	const struct cairn_target *target;
	uint64_t bias;
	bool big;
	uint8_t word; /* size of an address in the program: 4 or 8 bytes */
};

/* Return the pc that corresponds to `va`. The sum may wrap because a bias may be negative. */
static inline uint64_t cfi_memory_pc(const struct cfi_memory *view, uint64_t va)
{
	return va + view->bias;
}

/*
 * Set up `cfi` from the header at cfi->header. Return false if the header has no usable search
 * table. In this case, set cfi->frames to the address of .eh_frame, or 0.
 */
bool cfi_coverage_open_header(struct cfi_coverage *cfi, const struct cfi_memory *view,
                              uint64_t size);

/*
 * Set up `cfi` by walking up to `size` bytes of .eh_frame entries at `frames`. Ignores functions
 * outside [low, high), and returns false if all are outside, because the bytes are then not
 * .eh_frame. On success the resulting list replaces a table; on failure the table stays.
 */
bool cfi_coverage_walk(struct cfi_coverage *cfi, const struct cfi_memory *view, uint64_t frames,
                       uint64_t size, uint64_t low, uint64_t high);

/*
 * Return the range of the FDE that covers `va`, or a range around `va` with `covered` unset. Valid
 * only in the states TABLE and LIST.
 */
const struct cfi_range *cfi_coverage_find(struct cfi_coverage *cfi, const struct cfi_memory *view,
                                          uint64_t va);

/*
 * Return entry `number` of the table or list. Return false past the last entry, or if the table is
 * unreadable. If the entry's FDE is unreadable, `covered` is unset. Valid only in the states TABLE
 * and LIST.
 */
bool cfi_coverage_fde(struct cfi_coverage *cfi, const struct cfi_memory *view, size_t number,
                      struct cfi_range *range);

void cfi_coverage_finish(struct cfi_coverage *cfi);

/*
 * Finds the FDE that covers an address in .debug_frame. This section has no search table, so a list
 * of all ranges is built once.
 *
 *	struct debug_frame_index *index = debug_frame_index_new(bytes, big, 8);
 *	if (index && debug_frame_index_find(index, va, &offset))
 *		... debug_frame_read(index->section, index->big, index->word, offset, ...)
 *	debug_frame_index_free(index);
 */

enum { DEBUG_FRAME_INDEX_MAX = 1 << 22 }; /* maximum number of FDEs; further FDEs are ignored */

struct debug_frame_index_entry {
	uint64_t low, high;
	uint64_t fde;
};

struct debug_frame_index {
	struct cairn_bytes section;
	bool big;
	uint8_t word; /* address size in bytes, determined by the ELF class */
	struct debug_frame_index_entry *list;
	size_t count, capacity;
};

/*
 * Build the list. Return NULL if allocation fails. Ignores all entries after an entry of unknown
 * length.
 */
struct debug_frame_index *debug_frame_index_new(struct cairn_bytes section, bool big, uint8_t word);
void debug_frame_index_free(struct debug_frame_index *index);

bool debug_frame_index_find(const struct debug_frame_index *index, uint64_t va, uint64_t *fde);

/*
 * Reads an FDE and its CIE completely from the target. The buffers belong to the space because the
 * host may throw an exception from a read.
 */

enum {
	FDE_READER_ENTRY_MAX = 1 << 16, /* maximum size of a CIE or FDE; larger ones are rejected */
	FDE_READER_READ_FIRST = 256,    /* size of the first read, enough for most entries */
};

struct fde_reader {
	uint8_t cie_bytes[FDE_READER_ENTRY_MAX], fde_bytes[FDE_READER_ENTRY_MAX];
	struct ehframe_cie cie;
	struct ehframe_fde fde;
};

/* Link-time addresses of .eh_frame, of an FDE in it, and of the code that the FDE covers. */
struct fde_reader_query {
	uint64_t section, fde, va;
};

/* Read both entries into entries->cie and entries->fde, without executing their instructions. */
CAIRN_MUST_USE enum cairn_status fde_reader_read(struct fde_reader *entries,
                                                 const struct cfi_memory *view,
                                                 const struct fde_reader_query *question,
                                                 struct cairn_fault *fault);

/*
 * Read both entries and find the row for the address. The row points into `entries`. Fault offsets
 * are relative to the section.
 */
CAIRN_MUST_USE enum cairn_status fde_reader_read_row(struct fde_reader *entries,
                                                     const struct cfi_memory *view,
                                                     const struct fde_reader_query *question,
                                                     struct cfi_row *row,
                                                     struct cairn_fault *fault);

/*
 * Caches rows of call frame information by module and address, because a core contains thousands of
 * frames at a few hundred addresses. Used only for targets that cannot change. Rows with
 * expressions are not cached because expressions point into the FDE's bytes.
 *
 *	if (!row_cache_find(cache, module->number, va, entries, &row)) {
 *		... read it into `entries`
 *		row_cache_keep(cache, module->number, va, entries, &row);
 *	}
 */

enum {
	ROW_CACHE_ROWS = 2048, /* a power of two; 224 KiB of memory */
	/* maximum number of registers with a rule in one row, besides the CFA */
	ROW_CACHE_PLACES = 8,
};

struct kept_row {
	uint64_t module; /* module number in the space; 0 if the slot is unused */
	uint64_t va, start, end, function, function_size;
	int64_t cfa_offset;
	uint16_t cfa_register;
	uint8_t ra, count;
	bool mangled, signal, key_b;
	uint8_t number[ROW_CACHE_PLACES], kind[ROW_CACHE_PLACES];
	int32_t offset[ROW_CACHE_PLACES];
};

struct row_cache {
	struct kept_row rows[ROW_CACHE_ROWS];
};

/* Find a row, and set the function's range and the frame's kind in `entries`. */
bool row_cache_find(const struct row_cache *cache, uint64_t module, uint64_t va,
                    struct fde_reader *entries, struct cfi_row *row);
void row_cache_keep(struct row_cache *cache, uint64_t module, uint64_t va,
                    const struct fde_reader *entries, const struct cfi_row *row);

#endif
