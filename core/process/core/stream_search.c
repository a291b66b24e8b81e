/* SPDX-License-Identifier: MIT */
/*
 * Searches for a stack that a thread has left for a third one. A signal handler runs on its own
 * stack and may switch to another (-fsplit-stack, coroutines). No note records the location of the
 * handler's stack, but the kernel wrote the signal frame there, and this frame contains the bounds
 * of the stack (amd64).
 */
#include "stream_input.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Bytes read at once; the same number of bytes of the stack is kept below the frame. */
	PIECE = 1 << 16,
	WORD = 8,
	/* Offsets in the ucontext of a signal frame. */
	LINK = 8,
	STACK = 16,
	STACK_SIZE = 32,
	CODE_SEGMENT = 184,
	STACK_SEGMENT = 190,
	CONTEXT = 192,
	USER_CODE = 0x33,
	USER_STACK = 0x2b,
	FLAGS_END = 8, /* upper bound of uc_flags */
};

struct search {
	uint8_t *bytes; /* capacity of two pieces */
	uint64_t base;
	size_t size, searched;
	struct cairn_range stack;
};

/* Return true if a ucontext is there and lies in the stack that it records as the handler's. */
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

/* Make space for a piece and read it. Return false if there is nothing more to read. */
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

/* Keep the part of the stack in the window, and up to 2 * PIECE bytes after it. */
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

/*
 * Return true for writable memory that no thread's stack is in, if the crashed thread runs on
 * another stack than its own.
 */
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
