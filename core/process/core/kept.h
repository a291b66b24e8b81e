/* SPDX-License-Identifier: MIT */
/* Parts of a core's memory that were copied from a stream, and a target that reads them. */
#ifndef CAIRN_PROCESS_CORE_KEPT_H
#define CAIRN_PROCESS_CORE_KEPT_H

#include "unwind/target/core_file.h"

struct core_kept {
	struct corefile core; /* valid after core_kept_finish() */
	/* Valid before core_kept_finish(); in the order of the stream. */
	struct corefile_range *ranges;
	size_t count, room;
	uint8_t **blocks; /* memory of all ranges and of the notes */
	size_t block_count, block_room;
};

/* Allocate a block that lives as long as *kept. Return NULL if memory is short. */
uint8_t *core_kept_block(struct core_kept *kept, size_t size);

/* Shrink the latest block, or free it if `size` is 0. Return its new address. */
uint8_t *core_kept_shrink(struct core_kept *kept, size_t size);

/* Add bytes in a block as the memory at `address`. Return false if memory is short. */
bool core_kept_add(struct core_kept *kept, uint64_t address, struct cairn_bytes bytes);

/* Make kept->core.target read the added memory. */
void core_kept_finish(struct core_kept *kept);

/* Free the contents, but not *kept itself. */
void core_kept_clear(struct core_kept *kept);

/* Free the contents and the struct core_kept. NULL is allowed. */
void core_kept_free(void *kept);

#endif
