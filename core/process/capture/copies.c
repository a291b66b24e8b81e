/* SPDX-License-Identifier: MIT */
/* Keeps copies, and reads them where a snapshot has nothing. */
#include "copies.h"

#include "base/array_grow.h"
#include "base/bisect.h"
#include "unwind/target/memory.h"

#include <stdlib.h>
#include <string.h>

bool capture_copies_take(void *context, uint64_t address, struct cairn_bytes bytes)
{
	struct capture_copies *copies = context;
	const struct capture_copy copy = { address, copies->bytes.size, bytes.size };

	if (bytes.size == 0 || bytes.size > UINT64_MAX - address)
		return true;
	byte_buffer_bytes(&copies->bytes, bytes.data, bytes.size);
	return !copies->bytes.failed &&
	       ARRAY_APPEND(copies->copy, copies->count, copies->room, copy);
}

static int compare_copies(const void *left, const void *right)
{
	const struct capture_copy *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

void capture_copies_settle(struct capture_copies *copies)
{
	uint64_t reached = 0;
	size_t kept = 0;

	if (copies->count > 0)
		qsort(copies->copy, copies->count, sizeof(*copies->copy), compare_copies);
	for (size_t i = 0; i < copies->count; i++) {
		struct capture_copy copy = copies->copy[i];
		const uint64_t twice = reached > copy.address ? reached - copy.address : 0;
		if (twice >= copy.size)
			continue;
		copy.address += twice;
		copy.offset += (size_t)twice;
		copy.size -= (size_t)twice;
		reached = copy.address + copy.size;
		copies->copy[kept++] = copy;
	}
	copies->count = kept;
}

/* How many bytes a copy has from the address on. */
static size_t read_copy(const struct capture_copies *copies, uint64_t address, uint8_t *out,
                        size_t size)
{
	const size_t next = SORTED_UP_TO(copies->copy, copies->count, address, address);
	const struct capture_copy *copy = next > 0 ? &copies->copy[next - 1] : NULL;

	if (!copy || address - copy->address >= copy->size)
		return 0;
	const size_t before = (size_t)(address - copy->address), left = copy->size - before;
	const size_t got = size < left ? size : left;
	memcpy(out, copies->bytes.data + copy->offset + before, got);
	return got;
}

/* A range may lie in several mappings, segments and copies, and a read in one. */
static enum cairn_status read_in_parts(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct capture_copies *copies = context;
	uint8_t *out = buffer;

	for (size_t done = 0, got; done < size; done += got) {
		got = memory_read_some(copies->memory, address + done, out + done, size - done);
		if (got == 0)
			got = read_copy(copies, address + done, out + done, size - done);
		if (got == 0)
			return CAIRN_UNREADABLE;
	}
	return CAIRN_OK;
}

struct cairn_target capture_copies_memory(struct capture_copies *copies,
                                          const struct cairn_target *memory)
{
	copies->memory = memory;
	return (struct cairn_target){ .read_memory = read_in_parts, .context = copies };
}

void capture_copies_finish(struct capture_copies *copies)
{
	free(copies->copy);
	byte_buffer_finish(&copies->bytes);
}
