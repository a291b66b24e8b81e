/* SPDX-License-Identifier: MIT */
/* Return pads by address, the first of each. */
#include "segments.h"

#include "base/order.h"

#include <stdlib.h>
#include <string.h>

struct pad_order {
	uint64_t address;
	uint32_t at;
};

static int compare_pads(const void *left, const void *right)
{
	const struct pad_order *a = left, *b = right;

	return ORDER_BY(a->address, b->address, ORDER_BY(a->at, b->at, 0));
}

/* Pads by their addresses, the first of each; their frames in the same order. */
static bool move_pads(struct index_build *b, const struct pad_order *order)
{
	struct symbfile_pad_node *frames = malloc((b->frame_count + 1) * sizeof(*frames));
	uint32_t *first = malloc((b->pads + 1) * sizeof(*first));
	size_t count = 0, used = 0;

	if (!frames || !first) {
		free(frames);
		free(first);
		return false;
	}
	for (size_t i = 0; i < b->pads; i++) {
		uint32_t from = b->pad_first[order[i].at], end = b->pad_first[order[i].at + 1];
		if (i > 0 && order[i].address == order[i - 1].address)
			continue;
		b->pad[count] = order[i].address;
		first[count++] = (uint32_t)used;
		if (end > from)
			memcpy(frames + used, b->frames + from, (end - from) * sizeof(*frames));
		used += end - from;
	}
	first[count] = (uint32_t)used;
	free(b->frames);
	free(b->pad_first);
	b->frames = frames;
	b->pad_first = first;
	b->pads = count;
	b->frame_count = used;
	return true;
}

void build_sort_pads(struct index_build *b)
{
	bool sorted = true;

	for (size_t i = 1; i < b->pads; i++)
		sorted &= b->pad[i - 1] < b->pad[i];
	if (sorted)
		return;
	struct pad_order *order = malloc(b->pads * sizeof(*order));
	if (!order) {
		build_out_of_memory(b);
		return;
	}
	for (size_t i = 0; i < b->pads; i++)
		order[i] = (struct pad_order){ b->pad[i], (uint32_t)i };
	qsort(order, b->pads, sizeof(*order), compare_pads);
	if (!move_pads(b, order))
		build_out_of_memory(b);
	free(order);
}
