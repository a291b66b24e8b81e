/* SPDX-License-Identifier: MIT */
/* Many addresses at once: in ascending order, so that each function is decoded once. */
#include "symbols.h"

#include "base/array_grow.h"
#include "base/order.h"

#include <stdlib.h>

enum {
	FIRST_ROOM = 4,     /* for each address */
	WORTH_DECODING = 4, /* addresses in one function */
};

struct wanted {
	uint64_t va;
	size_t at; /* in the caller's order */
};

struct gathering {
	struct cairn_batch *batch;
	size_t count, room; /* of locations */
};

static int compare_wanted_by_va(const void *left, const void *right)
{
	const struct wanted *a = left, *b = right;

	return ORDER_BY(a->va, b->va, ORDER_BY(a->at, b->at, 0));
}

static bool add_location(struct gathering *g, const struct cairn_location *location)
{
	if (!array_grow_from(&g->batch->locations, &g->room, g->count + 1,
	                     sizeof(*g->batch->locations), FIRST_ROOM * g->batch->count))
		return false;
	g->batch->locations[g->count++] = *location;
	return true;
}

/* Are enough of the next addresses in the function that holds this one? */
static bool is_crowded(const struct gsym *gsym, const struct wanted *wanted, size_t left)
{
	return left >= WORTH_DECODING &&
	       gsym_search(gsym, wanted[0].va) == gsym_search(gsym, wanted[WORTH_DECODING - 1].va);
}

static bool answer_one(struct gathering *g, struct cairn_symbols *symbols,
                       const struct wanted *wanted, size_t left)
{
	struct cairn_batch_item *item = &g->batch->items[wanted->at];
	bool eager = symbols->is_image && is_crowded(&symbols->image.gsym, wanted, left);
	struct cairn_location location;
	struct cairn_lookup_result answer;
	bool fits = true;

	item->first = g->count;
	if (symbols_find(symbols, wanted->va, eager, &answer) == CAIRN_OK)
		while (fits && cairn_lookup_result_next(&answer, &location))
			fits = add_location(g, &location);
	item->fault = answer.fault;
	item->has_folded = lookup_result_has_folded(&answer);
	item->count = g->count - item->first;
	return fits;
}

static bool answer_all(struct cairn_symbols *symbols, struct wanted *wanted, size_t count,
                       struct cairn_batch *batch)
{
	struct gathering g = { .batch = batch };

	qsort(wanted, count, sizeof(*wanted), compare_wanted_by_va);
	for (size_t i = 0; i < count; i++)
		if (!answer_one(&g, symbols, &wanted[i], count - i))
			return false;
	return true;
}

enum cairn_status cairn_symbols_find_many(struct cairn_symbols *symbols, const uint64_t *vas,
                                          size_t count, struct cairn_batch *batch)
{
	size_t room = count ? count : 1;
	struct wanted *wanted = calloc(room, sizeof(*wanted));
	bool done = false;

	*batch = (struct cairn_batch){ .count = count,
		                       .items = calloc(room, sizeof(*batch->items)) };
	if (wanted && batch->items) {
		for (size_t i = 0; i < count; i++)
			wanted[i] = (struct wanted){ vas[i], i };
		done = answer_all(symbols, wanted, count, batch);
	}
	free(wanted);
	if (!done)
		cairn_batch_free(batch);
	return done ? CAIRN_OK : CAIRN_NO_MEMORY;
}

void cairn_batch_free(struct cairn_batch *batch)
{
	free(batch->items);
	free(batch->locations);
	*batch = (struct cairn_batch){ .count = 0 };
}
