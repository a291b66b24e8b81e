/* SPDX-License-Identifier: MIT */
/*
 * Packed bytes that are unpacked piece by piece, by the method that their first bytes name.
 *
 *	struct unpack_pieces pieces;
 *	status = unpack_pieces_open(&pieces, method, next, context, &fault);
 *	if (status == CAIRN_OK)
 *		... unpack_pieces_read(&pieces, buffer, size), unpack_pieces_skip()
 *	unpack_pieces_close(&pieces);
 *
 * Memory is that of the method, and one piece: what is skipped is unpacked, and dropped.
 */
#ifndef CAIRN_UNPACK_PACKED_PACKED_H
#define CAIRN_UNPACK_PACKED_PACKED_H

#include "base/allowance.h"
#include "unpack/method/method.h"

enum { UNPACK_MAGIC_MAX = 6 }; /* bytes that unpack_find_method() wants */

/* More than any core that is kept; it ends a file that was made to unpack for hours. */
#define UNPACK_STREAM_MAX ((uint64_t)1 << 40)

/*
 * Bytes that are kept of what comes out: so much of any packed input, and so much for each of its bytes. A few
 * bytes stand for any number.
 */
enum { UNPACK_LEAST = 1 << 25, UNPACK_TIMES = 32 };

static inline uint64_t unpack_allowed(uint64_t packed)
{
	return allowance_of(UNPACK_LEAST, UNPACK_TIMES, packed).left;
}

struct unpack_pieces {
	const struct unpack_method *method;
	void *state;
	struct cairn_bytes (*next)(void *context); /* of the packed bytes; empty: no more */
	void *context;
	struct cairn_bytes in; /* not yet taken */
	uint8_t *piece;
	size_t at, count;       /* of the piece */
	uint64_t taken, made;   /* bytes in all */
	bool between, ended;    /* at the end of a frame; of the input */
	struct cairn_fault end; /* why it ended: OK, or what is wrong with the packed bytes */
};

/* NULL: the bytes are not packed, as far as cairn knows. */
const struct unpack_method *unpack_find_method(struct cairn_bytes start);

/* UNSUPPORTED: the method is absent; NO_MEMORY. Then nothing has to be closed. */
CAIRN_MUST_USE enum cairn_status unpack_pieces_open(struct unpack_pieces *pieces,
                                                    const struct unpack_method *method,
                                                    struct cairn_bytes (*next)(void *context),
                                                    void *context, struct cairn_fault *fault);
void unpack_pieces_close(struct unpack_pieces *pieces);

/* Fewer bytes than asked for at the end only: pieces->end reports whether it is a good one. */
size_t unpack_pieces_read(struct unpack_pieces *pieces, void *buffer, size_t size);
uint64_t unpack_pieces_skip(struct unpack_pieces *pieces, uint64_t size);

/* The next bytes, which stay to be read: fewer than `size` (at most 64) at the end. */
struct cairn_bytes unpack_pieces_peek(struct unpack_pieces *pieces, size_t size);

#endif
