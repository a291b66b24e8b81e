/* SPDX-License-Identifier: MIT */
/* Builds and searches the list of ranges in .debug_frame. */
#include "debug_frame_index.h"

#include "base/memory.h"
#include "base/sort.h"
#include "formats/ehframe/ehframe.h"

#include <stdlib.h>

/* Read the next range. Skip unreadable entries; stop at an entry of unknown length. */
static bool next_range(struct debug_frame *frames, uint64_t *start, uint64_t *size)
{
	struct cairn_fault fault;
	enum cairn_status status;
	size_t at;

	do {
		at = frames->at;
		status = debug_frame_next(frames, start, size, &fault);
	} while (status != CAIRN_OK && status != CAIRN_NOT_FOUND && frames->at > at);
	return status == CAIRN_OK;
}

static bool read_index(struct debug_frame_index *index)
{
	struct debug_frame frames = debug_frame_open(index->section, index->big, index->word);
	uint64_t start, size;

	while (index->count < DEBUG_FRAME_INDEX_MAX && next_range(&frames, &start, &size)) {
		if (size == 0)
			continue;
		if (!ARRAY_APPEND(
			    index->list, index->count, index->room,
			    (struct debug_frame_index_entry){ start, start + size, frames.fde }))
			return false;
	}
	SORT_BY_FIRST(index->list, index->count, low);
	return true;
}

struct debug_frame_index *debug_frame_index_new(struct cairn_bytes section, bool big, uint8_t word)
{
	struct debug_frame_index *index = calloc(1, sizeof(*index));

	if (!index)
		return NULL;
	index->section = section;
	index->big = big;
	index->word = word;
	if (read_index(index))
		return index;
	debug_frame_index_free(index);
	return NULL;
}

void debug_frame_index_free(struct debug_frame_index *index)
{
	if (!index)
		return;
	free(index->list);
	free(index);
}

bool debug_frame_index_find(const struct debug_frame_index *index, uint64_t va, uint64_t *fde)
{
	const size_t next = SORTED_UP_TO(index->list, index->count, low, va);

	if (next == 0 || va >= index->list[next - 1].high)
		return false;
	*fde = index->list[next - 1].fde;
	return true;
}
