/* SPDX-License-Identifier: MIT */
/* Parts of a core's memory that were copied out of a stream, and a target that reads them. */
#ifndef CAIRN_PROCESS_CORE_KEPT_H
#define CAIRN_PROCESS_CORE_KEPT_H

#include "unwind/target/core_file.h"

struct core_kept {
	struct corefile core;          /* once core_kept_finish() was called */
	struct corefile_range *ranges; /* until then: in the order of the stream */
	size_t count, room;
	uint8_t **blocks; /* what all of them lie in, and the notes */
	size_t block_count, block_room;
};

/* A block that lives as long as *kept; NULL when memory is short. */
uint8_t *core_kept_block(struct core_kept *kept, size_t size);

/* Makes the block that was asked for last smaller; with size 0 it is freed. Returns where it is now. */
uint8_t *core_kept_shrink(struct core_kept *kept, size_t size);

/* The bytes, which lie in a block, are memory from `address` on. False: memory is short. */
bool core_kept_add(struct core_kept *kept, uint64_t address, struct cairn_bytes bytes);

/* From now on kept->core.target reads what was added. */
void core_kept_finish(struct core_kept *kept);

/* Frees what it has, but not *kept itself. */
void core_kept_clear(struct core_kept *kept);

/* Frees a struct core_kept, too; NULL: nothing. */
void core_kept_free(void *kept);

#endif
