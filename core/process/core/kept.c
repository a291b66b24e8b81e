/* SPDX-License-Identifier: MIT */
/* Owns the kept parts of a streamed core, and makes them readable as memory. */
#include "kept.h"

#include "base/memory.h"

#include <stdlib.h>

uint8_t *core_kept_block(struct core_kept *kept, size_t size)
{
	if (!array_grow(&kept->blocks, &kept->block_room, kept->block_count + 1,
	                sizeof(*kept->blocks)))
		return NULL;
	uint8_t *block = malloc(size > 0 ? size : 1);
	if (block)
		kept->blocks[kept->block_count++] = block;
	return block;
}

uint8_t *core_kept_shrink(struct core_kept *kept, size_t size)
{
	uint8_t **last = &kept->blocks[kept->block_count - 1];

	if (size == 0) {
		free(*last);
		kept->block_count--;
		return NULL;
	}
	uint8_t *smaller = realloc(*last, size);
	if (smaller)
		*last = smaller;
	return *last;
}

bool core_kept_add(struct core_kept *kept, uint64_t address, struct cairn_bytes bytes)
{
	if (bytes.size == 0)
		return true;
	return ARRAY_APPEND(kept->ranges, kept->count, kept->room,
	                    (struct corefile_range){ address, bytes, false });
}

void core_kept_finish(struct core_kept *kept)
{
	corefile_adopt(&kept->core, kept->ranges, kept->count);
	kept->ranges = NULL;
	kept->count = kept->room = 0;
}

void core_kept_clear(struct core_kept *kept)
{
	for (size_t i = 0; i < kept->block_count; i++)
		free(kept->blocks[i]);
	free(kept->blocks);
	free(kept->ranges);
	corefile_close(&kept->core);
}

void core_kept_free(void *kept)
{
	if (kept)
		core_kept_clear(kept);
	free(kept);
}
