/* SPDX-License-Identifier: MIT */
/*
 * Makes an index of the inlined calls of a function. The calls take, in their order, what no call before them has of their
 * ranges, so that of those that overlap the first counts; what has a call already is passed over at once.
 */
#include "call_index.h"

#include "base/array_grow.h"
#include "base/bisect.h"
#include "base/order.h"

static bool add_edges(struct call_index *index, uint32_t around, const struct cairn_range *range,
                      uint32_t ranges)
{
	const size_t need = index->edges + 2 * (size_t)ranges;

	if (need > UINT32_MAX ||
	    !array_grow(&index->edge, &index->edge_room, need, sizeof(*index->edge)))
		return false;
	for (uint32_t i = 0; i < ranges; i++) {
		index->edge[index->edges++] =
			(struct call_edge){ .va = range[i].low, .around = around };
		index->edge[index->edges++] =
			(struct call_edge){ .va = range[i].high, .around = around };
	}
	return true;
}

static int compare_edges(const void *a, const void *b)
{
	const struct call_edge *x = a, *y = b;

	return ORDER_BY(x->around, y->around, ORDER_BY(x->va, y->va, 0));
}

/* In their order, each once. */
static void sort_edges(struct call_index *index)
{
	size_t kept = 0;

	if (index->edges > 0)
		qsort(index->edge, index->edges, sizeof(*index->edge), compare_edges);
	for (size_t i = 0; i < index->edges; i++)
		if (kept == 0 || compare_edges(&index->edge[kept - 1], &index->edge[i]) != 0)
			index->edge[kept++] = index->edge[i];
	index->edges = kept;
	for (size_t i = 0; i < kept; i++)
		index->edge[i].unowned = (uint32_t)i;
}

/* How many edges are at or before the address, with those of all that is before `around`. */
static size_t count_edges(const struct call_index *index, uint32_t around, uint64_t va)
{
	const struct call_edge wanted = { .va = va, .around = around };
	struct bisection search = bisect_begin(index->edges);

	while (search.low < search.high)
		bisect_narrow(&search, compare_edges(&index->edge[search.middle], &wanted) <= 0);
	return search.low;
}

static uint32_t find_unowned(struct call_edge *edge, uint32_t at)
{
	while (edge[at].unowned != at) {
		edge[at].unowned = edge[edge[at].unowned].unowned;
		at = edge[at].unowned;
	}
	return at;
}

static void take_range(struct call_index *index, uint32_t call, struct cairn_range range)
{
	const uint32_t around = index->around[call - 1];
	const size_t end = count_edges(index, around, range.high) - 1;
	uint32_t at = (uint32_t)count_edges(index, around, range.low) - 1;

	while ((at = find_unowned(index->edge, at)) < end) {
		index->edge[at].call = call;
		index->edge[at].unowned = at + 1;
	}
}

bool call_index_make(struct call_index *index, const struct kept_functions *kept,
                     const struct kept_function *function)
{
	const struct function_inline *call = kept->call + function->call;
	const struct cairn_range *range = kept->range + function->first_range;

	index->edges = 0;
	if (!array_grow(&index->around, &index->around_room, function->calls,
	                sizeof(*index->around)))
		return false;
	function_find_around(call, function->calls, index->around);
	for (uint32_t i = 0; i < function->calls; i++)
		if (!add_edges(index, index->around[i], range + call[i].range, call[i].ranges))
			return false;
	sort_edges(index);
	for (uint32_t i = 0; i < function->calls; i++)
		for (uint32_t j = 0; j < call[i].ranges; j++)
			take_range(index, i + 1, range[call[i].range + j]);
	return true;
}

void call_index_free(struct call_index *index)
{
	free(index->edge);
	free(index->around);
}

/* The call inside of `around` that has the address, counted from 1; 0: none. */
static uint32_t find_call(const struct call_index *index, uint32_t around, uint64_t va)
{
	const size_t count = count_edges(index, around, va);

	if (count == 0 || index->edge[count - 1].around != around)
		return 0;
	return index->edge[count - 1].call;
}

void kept_lookup_begin_by(struct kept_lookup *lookup, const struct call_index *index,
                          const struct kept_functions *kept, const struct kept_function *function,
                          uint64_t va)
{
	uint32_t call = 0;

	kept_lookup_place(lookup, kept, function, va);
	while (lookup->depth < KEPT_LOCATIONS_MAX - 1 && (call = find_call(index, call, va)) != 0)
		lookup->call[lookup->depth++] = kept->call + function->call + call - 1;
}
