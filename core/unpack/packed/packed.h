/* SPDX-License-Identifier: MIT */
/*
 * Decompresses bytes piece by piece. The method is identified by the first bytes.
 *
 *	struct unpack_pieces pieces;
 *	status = unpack_pieces_open(&pieces, method, next, context, &fault);
 *	if (status == CAIRN_OK)
 *		... unpack_pieces_read(&pieces, buffer, size), unpack_pieces_skip()
 *	unpack_pieces_close(&pieces);
 *
 * Uses the memory of the method and one piece. Skipped data is decompressed and discarded.
 */
#ifndef CAIRN_UNPACK_PACKED_PACKED_H
#define CAIRN_UNPACK_PACKED_PACKED_H

#include "base/allowance.h"
#include "unpack/method/method.h"

enum { UNPACK_MAGIC_MAX = 6 };

/* Larger than any core that is kept; stops files crafted to decompress for hours. */
#define UNPACK_STREAM_MAX ((uint64_t)1 << 40)

/*
 * Limit for decompressed bytes that are kept: a base amount, and an amount per compressed byte,
 * because a few bytes can expand to any number.
 */
enum { UNPACK_LEAST = 1 << 25, UNPACK_TIMES = 32 };

static inline uint64_t unpack_allowed(uint64_t packed)
{
	return allowance_of(UNPACK_LEAST, UNPACK_TIMES, packed).left;
}

struct unpack_pieces {
	const struct unpack_method *method;
	void *state;
	struct cairn_bytes (*next)(void *context); /* returns compressed bytes; empty at the end */
	void *context;
	struct cairn_bytes in;
	uint8_t *piece;
	size_t at, count; /* position and end of the unread part of the piece */
	uint64_t taken, made;
	bool between, ended;    /* `between`: at the end of a frame; `ended`: no more output */
	struct cairn_fault end; /* reason of the end: OK, or the defect of the compressed bytes */
};

const struct unpack_method *unpack_find_method(struct cairn_bytes start);

/*
 * Open a stream. Return UNSUPPORTED if the method is unavailable, or NO_MEMORY; then there is
 * nothing to close.
 */
CAIRN_MUST_USE enum cairn_status unpack_pieces_open(struct unpack_pieces *pieces,
                                                    const struct unpack_method *method,
                                                    struct cairn_bytes (*next)(void *context),
                                                    void *context, struct cairn_fault *fault);
void unpack_pieces_close(struct unpack_pieces *pieces);

/*
 * Read bytes. Returns fewer than `size` only at the end; pieces->end tells whether the stream ended
 * properly.
 */
size_t unpack_pieces_read(struct unpack_pieces *pieces, void *buffer, size_t size);
uint64_t unpack_pieces_skip(struct unpack_pieces *pieces, uint64_t size);

/* Return the next bytes without consuming them: `size` (at most 64), or fewer at the end. */
struct cairn_bytes unpack_pieces_peek(struct unpack_pieces *pieces, size_t size);

#endif
