/* SPDX-License-Identifier: MIT */
/* Keeps memory of a streamed core within its budgets. */
#include "stream_input.h"

#include <string.h>

/*
 * Return true if the host allows `size` more bytes. Needed because a few compressed bytes can
 * expand to any number.
 */
static bool is_allowed(const struct core_stream *s, uint64_t size)
{
	if (!s->input->allow)
		return true;
	const uint64_t allowed = s->input->allow(s->input->context);
	return s->held <= allowed && size <= allowed - s->held;
}

static void report_excess(struct core_stream *s)
{
	core_stream_problem(s, "memory", CAIRN_UNSUPPORTED, "more memory than is kept of a stream");
}

/* Allocate a block for memory. Return NULL if no more of the core can be kept. */
static uint8_t *make_block(struct core_stream *s, uint64_t size)
{
	if (size == 0 || size > SIZE_MAX)
		return NULL;
	if (!core_stream_charge(&s->memory_left, size) || !is_allowed(s, size)) {
		report_excess(s);
		return NULL;
	}
	uint8_t *block = core_kept_block(s->kept, (size_t)size);
	s->held += size;
	s->scarce = s->scarce || !block;
	return block;
}

struct cairn_bytes core_stream_keep(struct core_stream *s, uint64_t address, uint64_t size)
{
	const struct cairn_bytes none = { NULL, 0 };
	uint8_t *block = make_block(s, size);

	if (!block)
		return none;
	const size_t got = core_stream_read(s, block, (size_t)size);
	if (got < size)
		block = core_kept_shrink(s->kept, got);
	if (got == 0)
		return none;
	const struct cairn_bytes bytes = { block, got };
	s->scarce = s->scarce || !core_kept_add(s->kept, address, bytes);
	return bytes;
}

/* Return the block that all zero pieces share, or NULL if memory is short. */
static const uint8_t *find_zeros(struct core_stream *s)
{
	uint8_t *zeros = s->zeros ? NULL : core_kept_block(s->kept, CORE_STREAM_PIECE);

	if (zeros)
		s->zeros = memset(zeros, 0, CORE_STREAM_PIECE);
	s->scarce = s->scarce || !s->zeros;
	return s->zeros;
}

bool core_stream_keep_zeros(struct core_stream *s, uint64_t address, size_t size)
{
	if (!core_stream_charge(&s->memory_left, size)) {
		report_excess(s);
		return false;
	}
	s->scarce = s->scarce || !find_zeros(s) ||
	            !core_kept_add(s->kept, address, (struct cairn_bytes){ s->zeros, size });
	return true;
}

bool core_stream_keep_copy(struct core_stream *s, uint64_t address, const uint8_t *bytes,
                           size_t size)
{
	uint8_t *block = make_block(s, size);

	if (!block)
		return false;
	memcpy(block, bytes, size);
	s->scarce =
		s->scarce || !core_kept_add(s->kept, address, (struct cairn_bytes){ block, size });
	return true;
}
