/* SPDX-License-Identifier: MIT */
/*
 * Caches rows of call frame information by module and address: a core has thousands of frames at a
 * few hundred addresses. Used only for targets that cannot change. Rows with expressions are not
 * cached because an expression points into the bytes of an entry.
 *
 *	if (!row_cache_find(cache, module->number, va, entries, &row)) {
 *		... read it into `entries`
 *		row_cache_keep(cache, module->number, va, entries, &row);
 *	}
 */
#ifndef CAIRN_UNWIND_TABLES_CFI_ROW_CACHE_H
#define CAIRN_UNWIND_TABLES_CFI_ROW_CACHE_H

#include "fde_reader.h"

enum {
	ROW_CACHE_ROWS = 2048, /* power of two; 224 KiB */
	ROW_CACHE_PLACES = 8,  /* registers with a rule in one row, besides the CFA */
};

struct kept_row {
	uint64_t module; /* module number in the space; 0: unused */
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

/*
 * Find a row, and set the parts of `entries` that describe its frame: the function's range and the
 * kind of frame.
 */
bool row_cache_find(const struct row_cache *cache, uint64_t module, uint64_t va,
                    struct fde_reader *entries, struct cfi_row *row);
void row_cache_keep(struct row_cache *cache, uint64_t module, uint64_t va,
                    const struct fde_reader *entries, const struct cfi_row *row);

#endif
