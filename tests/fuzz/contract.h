/* SPDX-License-Identifier: MIT */
/* What base/function.h promises of every function that a reader hands out, `every` row or not. */
#ifndef CAIRN_TESTS_CONTRACT_H
#define CAIRN_TESTS_CONTRACT_H

#include "fuzz.h"

#include "base/function.h"

static inline void check_ranges(const struct function *f, const struct function_inline *call)
{
	const struct cairn_range *range = &f->range[call->range];

	ALWAYS(call->ranges >= 1);
	for (uint32_t i = 0; i < call->ranges; i++) {
		ALWAYS(range[i].low < range[i].high);
		ALWAYS(i == 0 || range[i - 1].high <= range[i].low);
		ALWAYS(range[i].low >= f->start);
		ALWAYS(f->size == 0 || range[i].high - f->start <= f->size);
	}
}

/* A path is where function_path() looks for it, for those alone who want every row. */
static inline void check_path(struct cairn_bytes name, uint32_t size, bool every)
{
	ALWAYS(size == 0 || (every && name.size > 0 && name.data[name.size] == 0 &&
	                     name.data[name.size + 1] == FUNCTION_PATH_MARK));
	for (uint32_t i = 0; i < size; i++)
		ALWAYS(function_path(name, size).data[i] != 0);
}

static inline void check_contract(const struct function *f, bool every)
{
	ALWAYS(f->size <= UINT64_MAX - f->start);
	check_path(f->name, f->path_size, every);
	for (size_t i = 0; i < f->row_count; i++) {
		ALWAYS(i == 0 ? f->rows[0].va == f->start : f->rows[i - 1].va <= f->rows[i].va);
		ALWAYS(every || i == 0 || f->rows[i - 1].va < f->rows[i].va);
		ALWAYS(f->statements ||
		       (!f->rows[i].statement && !f->rows[i].prologue_end && !f->rows[i].apart));
		ALWAYS(every || !f->statements);
		ALWAYS(f->size == 0 || f->rows[i].va - f->start < f->size);
		ALWAYS(f->rows[i].file == 0 || f->rows[i].file < f->file_count);
	}
	for (size_t i = 0; i < f->inline_count; i++) {
		const struct function_inline *call = &f->inlines[i];
		ALWAYS(call->depth >= 1);
		ALWAYS(call->depth <= (i ? f->inlines[i - 1].depth + 1 : 1));
		ALWAYS(call->call_file == 0 || call->call_file < f->file_count);
		check_path(call->name, call->path_size, every);
		check_ranges(f, call);
	}
}

#endif
