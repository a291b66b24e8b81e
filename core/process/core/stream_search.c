/* SPDX-License-Identifier: MIT */
/*
 * Looks for a stack that a thread has left for a third one.  A handler of signals runs on a stack of its own, and changes
 * to another one (-fsplit-stack, coroutines).  No note has the place of the handler's stack, but the kernel has written the
 * frame of the signal there, and this frame has the bounds of the stack (amd64).
 */
#include "stream_input.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* bytes that are read at once; as many are kept of the stack below the frame */
	PIECE = 1 << 16,
	WORD = 8,
	/* of the ucontext in a signal's frame */
	LINK = 8,
	STACK = 16,
	STACK_SIZE = 32,
	CODE_SEGMENT = 184,
	STACK_SEGMENT = 190,
	CONTEXT = 192,
	USER_CODE = 0x33,
	USER_STACK = 0x2b,
	FLAGS_END = 8, /* what flags are below */
};

/* The part of memory that is at hand, and the stack that was found in it. */
struct search {
	uint8_t *bytes; /* two pieces */
	uint64_t base;
	size_t size, searched;
	struct cairn_range stack;
};

/* Is a ucontext there, in the stack that it says is the handler's? */
static bool is_signal_frame(const uint8_t *context, uint64_t at, struct cairn_range *stack)
{
	const uint64_t low = bytes_u64(context + STACK, false),
		       size = bytes_u64(context + STACK_SIZE, false);

	if (bytes_u16(context + CODE_SEGMENT, false) != USER_CODE ||
	    bytes_u16(context + STACK_SEGMENT, false) != USER_STACK ||
	    bytes_u64(context, false) >= FLAGS_END || bytes_u64(context + LINK, false) != 0 ||
	    at < low || at - low >= size || size > UINT64_MAX - low)
		return false;
	*stack = (struct cairn_range){ low, low + size };
	return true;
}

static bool find_frame(struct search *search)
{
	for (; search->searched + CONTEXT <= search->size; search->searched += WORD)
		if (is_signal_frame(search->bytes + search->searched,
		                    search->base + search->searched, &search->stack))
			return true;
	return false;
}

/* Makes room for a piece, and reads it; false: there is nothing more. */
static bool read_piece(struct core_stream *s, struct search *search, uint64_t end)
{
	const uint64_t at = search->base + search->size, left = end - at;
	const size_t wanted = left < PIECE ? (size_t)left : PIECE;

	if (wanted == 0 || !core_stream_charge(&s->search_left, wanted))
		return false;
	if (search->size > PIECE) {
		const size_t gone = search->size - PIECE;
		memmove(search->bytes, search->bytes + gone, PIECE);
		search->base += gone;
		search->searched -= search->searched < gone ? search->searched : gone;
		search->size = PIECE;
	}
	const size_t got = core_stream_read(s, search->bytes + search->size, wanted);
	search->size += got;
	return got > 0;
}

/* What is at hand of the stack, and of what follows as much again. */
static void keep_found(struct core_stream *s, const struct search *search, uint64_t end)
{
	const uint64_t at = search->base + search->size;
	const uint64_t high = search->stack.high < end ? search->stack.high : end;
	const uint64_t left = high > at ? high - at : 0;
	const uint64_t more = left < 2 * PIECE ? left : 2 * PIECE;

	if (!core_stream_charge(&s->found_left, search->size + more))
		return;
	core_stream_keep_copy(s, search->base, search->bytes, search->size);
	if (more > 0)
		core_stream_keep(s, at, more);
}

/* Only memory that can be written to, and that no thread's stack is in. */
static bool should_search(const struct core_stream *s, const struct core_part *part)
{
	const struct snapshot_mapping *mapping = snapshot_find_mapping(s->snapshot, part->va);
	const size_t next = core_plan_first(&s->plan, part->va);

	return s->plan.apart && s->snapshot->machine == CAIRN_MACHINE_AMD64 && s->search_left > 0 &&
	       part->size <= UINT64_MAX - part->va && mapping &&
	       (mapping->access & SNAPSHOT_WRITE) && part->va % WORD == 0 &&
	       (next == s->plan.count || s->plan.wants[next].low >= part->va + part->size);
}

bool core_stream_search(struct core_stream *s, const struct core_part *part,
                        struct cairn_bytes read)
{
	struct search search = { .base = part->va, .size = read.size };
	const uint64_t end = part->va + part->size;
	bool found = false;

	if (read.size == 0 || read.size > PIECE || !should_search(s, part))
		return false;
	search.bytes = malloc(2 * PIECE);
	s->scarce = s->scarce || !search.bytes;
	if (!search.bytes)
		return false;
	memcpy(search.bytes, read.data, read.size);
	do
		found = find_frame(&search);
	while (!found && read_piece(s, &search, end));
	if (found)
		keep_found(s, &search, end);
	free(search.bytes);
	return true;
}
