/* SPDX-License-Identifier: MIT */
/*
 * Writes inline trees, lists of calls, and columns. The grammars are in inline.c, function.c and
 * columns.c.
 */
#include "write.h"

enum { END_OF_SIBLINGS = 0 };

/*
 * Write the ranges of a node, followed by an empty one at *mark unless `mark` is NULL. Children are
 * relative to the first range, so the mark comes last.
 */
static void put_ranges(struct gsym_draft *draft, const struct cairn_range *range, uint32_t count,
                       uint64_t base, const uint64_t *mark)
{
	gsym_draft_uleb(draft, count + (mark ? 1u : 0u));
	for (uint32_t i = 0; i < count; i++) {
		gsym_draft_uleb(draft, range[i].low - base);
		gsym_draft_uleb(draft, range[i].high - range[i].low);
	}
	if (mark) {
		gsym_draft_uleb(draft, *mark - base);
		gsym_draft_uleb(draft, 0);
	}
}

/*
 * Return true if the call is known to be entered at an address other than the start of its first
 * range.
 */
static bool has_mark(const struct function *function, const struct function_inline *call)
{
	return function->statements && call->entry != 0 &&
	       call->entry != function->range[call->range].low;
}

static void put_place(struct gsym_draft *draft, const struct gsym_draft_names *names,
                      const struct function_inline *call)
{
	if (call->call_file == 0)
		gsym_draft_uleb(draft, 0);
	else
		gsym_draft_mark(draft, GSYM_MARK_FILE, names->files[call->call_file]);
	gsym_draft_uleb(draft, call->call_line);
}

/* Move *i to the next call that is kept and return its depth, or 0 if not found. */
static uint32_t next_depth(const struct function *function, size_t *i)
{
	while (++*i < function->inline_count)
		if (function->inlines[*i].depth <= GSYM_WRITE_LEVELS)
			return function->inlines[*i].depth;
	return 0;
}

/*
 * Return the size of the root: the size of the function or, if that is 0, up to the end of the last
 * inlined call.
 */
static uint64_t root_size(const struct function *function)
{
	uint64_t size = function->size;

	for (size_t i = 0; function->size == 0 && i < function->inline_count; i++) {
		const struct function_inline *call = &function->inlines[i];
		const struct cairn_range *last = &function->range[call->range + call->ranges - 1];
		uint64_t end = last->high - function->start;
		size = end > size ? end : size;
	}
	return size;
}

static void put_root(struct gsym_draft *draft, const struct gsym_draft_names *names,
                     const struct function *function)
{
	struct cairn_range all = { function->start, function->start + root_size(function) };

	put_ranges(draft, &all, 1, function->start, function->parted ? &function->start : NULL);
	gsym_draft_u8(draft, 1);
	gsym_draft_mark(draft, GSYM_MARK_STRING, names->name);
	gsym_draft_uleb(draft, 0);
	gsym_draft_uleb(draft, 0);
}

void gsym_draft_inlines(struct gsym_draft *draft, const struct gsym_draft_names *names,
                        const struct function *function)
{
	/* start of the first range at each level */
	uint64_t first[GSYM_WRITE_LEVELS + 1] = { function->start };
	uint32_t depth = 1;

	put_root(draft, names, function);
	for (size_t i = 0; depth > 0;) {
		const struct function_inline *call = &function->inlines[i];
		const struct cairn_range *range = &function->range[call->range];
		uint32_t number = names->inlines[i];
		uint32_t next = next_depth(function, &i);
		put_ranges(draft, range, call->ranges, first[depth - 1],
		           has_mark(function, call) ? &call->entry : NULL);
		gsym_draft_u8(draft, next > depth);
		gsym_draft_mark(draft, GSYM_MARK_STRING, number);
		put_place(draft, names, call);
		first[depth] = range->low;
		for (; depth > next; depth--)
			gsym_draft_uleb(draft, END_OF_SIBLINGS);
		depth = next;
	}
}

/*
 * Return true if row `i` changes the column. Of several rows at one address only the last counts.
 */
static bool starts_column(const struct function *function, size_t i, uint32_t before)
{
	const struct function_row *row = &function->rows[i];

	return row->column != before && (i + 1 == function->row_count || row[1].va != row->va);
}

void gsym_draft_columns(struct gsym_draft *draft, const struct function *function)
{
	uint64_t count = 0, at = function->start;
	uint32_t column = 0;

	for (size_t i = 0; i < function->row_count; i++)
		if (starts_column(function, i, column)) {
			column = function->rows[i].column;
			count++;
		}
	gsym_draft_uleb(draft, count);
	column = 0;
	for (size_t i = 0; i < function->row_count; i++)
		if (starts_column(function, i, column)) {
			column = function->rows[i].column;
			gsym_draft_uleb(draft, function->rows[i].va - at);
			gsym_draft_uleb(draft, column);
			at = function->rows[i].va;
		}
	for (size_t i = 0; i < function->inline_count; i++)
		if (function->inlines[i].depth <= GSYM_WRITE_LEVELS)
			gsym_draft_uleb(draft, function->inlines[i].call_column);
}

void gsym_draft_calls(struct gsym_draft *draft, const struct gsym_draft_names *names,
                      const struct function *function)
{
	size_t callee = 0;

	gsym_draft_fixed(draft, function->call_count, 4);
	for (size_t i = 0; i < function->call_count; i++) {
		const struct function_call *call = &function->calls[i];
		gsym_draft_fixed(draft, call->return_offset, 8);
		gsym_draft_u8(draft, call->flags);
		gsym_draft_fixed(draft, call->callees, 4);
		for (uint32_t j = 0; j < call->callees; j++)
			gsym_draft_mark(draft, GSYM_MARK_STRING, names->callees[callee++]);
	}
}
