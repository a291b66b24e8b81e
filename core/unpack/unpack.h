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
#ifndef CAIRN_UNPACK_H
#define CAIRN_UNPACK_H

#include "base/allowance.h"

#include <cairn.h>

/*
 * A decompression method, with its library, or without it only the reason why it is unavailable.
 *
 *	void *state = method->open();
 *	if (state)
 *		... method->step(state, &step), as long as it returns OK, with input and room in each step
 *	method->close(state);
 *
 * The input may consist of several frames in sequence. It is complete only at the end of a frame.
 */

struct unpack_step {
	struct cairn_bytes in; /* unread input; empty at the end of the input */
	uint8_t *out;
	size_t room;
	size_t taken, made; /* set by the step: bytes read and written */
	bool between;       /* set by the step: a frame ended with the last byte read */
	const char *why;    /* set by a failing step; a constant */
};

struct unpack_method {
	const char *name;
	const char *magic;
	size_t magic_size;
	const char *absent;  /* reason why it is unavailable, or NULL */
	void *(*open)(void); /* returns NULL if memory is short; not called if unavailable */
	/*
	 * Returns OK after reading or writing some bytes, or if more input is needed; MALFORMED;
	 * NO_MEMORY; or UNSUPPORTED if it needs more memory than UNPACK_WINDOW_MAX.
	 */
	enum cairn_status (*step)(void *state, struct unpack_step *step);
	void (*close)(void *state);
};

/*
 * Limit of the history window, as needed by the highest level of xz and by the default limit of
 * zstd.
 */
#define UNPACK_WINDOW_MAX ((uint64_t)128 << 20)

extern const struct unpack_method unpack_gzip, unpack_zstd, unpack_xz, unpack_lz4;

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
