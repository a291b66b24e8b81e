/* SPDX-License-Identifier: MIT */
/*
 * Memory that was copied while a plan was made, because the program may change it before it is written, beside the memory of a snapshot.
 *
 *	struct capture_copies copies = { .bytes = { .limit = 1 << 20 } };
 *	uint8_t byte = 1;
 *	capture_copies_take(&copies, 0x1000, (struct cairn_bytes){ &byte, 1 });
 *	capture_copies_settle(&copies);
 *	... capture_copies_memory(&copies, &snapshot.memory)
 *	capture_copies_finish(&copies);
 */
#ifndef CAIRN_PROCESS_CAPTURE_COPIES_H
#define CAIRN_PROCESS_CAPTURE_COPIES_H

#include "base/byte_buffer.h"

struct capture_copies {
	struct capture_copy {
		uint64_t address;
		size_t offset, size; /* in the bytes */
	} * copy;
	size_t count, room;
	struct byte_buffer bytes;
	const struct cairn_target *memory; /* what comes first */
};

/* The context is a struct capture_copies.  False: memory is short. */
bool capture_copies_take(void *context, uint64_t address, struct cairn_bytes bytes);

/* Puts the copies into order, and apart. */
void capture_copies_settle(struct capture_copies *copies);

/* Reads `memory`, and copies where that has nothing; good as long as both are. */
struct cairn_target capture_copies_memory(struct capture_copies *copies,
                                          const struct cairn_target *memory);
void capture_copies_finish(struct capture_copies *copies);

#endif
