/* SPDX-License-Identifier: MIT */
/*
 * Decompresses bytes piece by piece. The first bytes identify the compression method.
 *
 *	struct unpack_pieces pieces;
 *	status = unpack_pieces_open(&pieces, method, next, context, &fault);
 *	if (status == CAIRN_OK) {
 *		... unpack_pieces_read(&pieces, buffer, size), unpack_pieces_skip()
 *		unpack_pieces_close(&pieces);
 *	}
 *
 * Memory use is limited to the decompression library's state and one piece of output. Skipped data
 * is decompressed and discarded.
 */
#ifndef CAIRN_UNPACK_H
#define CAIRN_UNPACK_H

#include "base/allowance.h"

#include <cairn.h>

/*
 * A decompression method. If cairn was built without the library that implements it, the method is
 * unavailable, and `absent` is set instead of the callbacks.
 *
 *	void *state = method->open();
 *	if (state) {
 *		while (method->step(state, &step) == CAIRN_OK)
 *			... supply more input and space, or stop at the end
 *		method->close(state);
 *	}
 *
 * The input may consist of several consecutive frames, and is complete only at the end of a frame.
 */

struct unpack_step {
	struct cairn_bytes in; /* unread input; empty after the last piece */
	uint8_t *out;
	size_t capacity;
	size_t taken, made; /* set by each step: number of bytes read and written */
	bool between;    /* set by each step: true if the last byte read was the end of a frame */
	const char *why; /* set by a step that fails: the reason, a constant string */
};

struct unpack_method {
	const char *name;
	const char *magic;
	size_t magic_size;
	const char *absent; /* reason why the method is unavailable, or NULL */
	/* Return NULL if allocation fails. Must not be called if the method is unavailable. */
	void *(*open)(void);
	/*
	 * Return CAIRN_OK after reading or writing some bytes, or if more input is needed;
	 * CAIRN_MALFORMED; CAIRN_NO_MEMORY; or CAIRN_UNSUPPORTED if more memory than
	 * UNPACK_WINDOW_MAX is needed.
	 */
	enum cairn_status (*step)(void *state, struct unpack_step *step);
	void (*close)(void *state);
};

/*
 * Maximum size of the history window, sufficient for the highest level of xz and for zstd's default
 * limit.
 */
#define UNPACK_WINDOW_MAX ((uint64_t)128 << 20)

extern const struct unpack_method unpack_gzip, unpack_zstd, unpack_xz, unpack_lz4;

enum { UNPACK_MAGIC_MAX = 6 };

/*
 * Maximum size of decompressed output. It exceeds the size of real core files, and stops files that
 * were crafted to decompress for hours.
 */
#define UNPACK_STREAM_MAX ((uint64_t)1 << 40)

/*
 * Limit on decompressed data kept in memory: a base amount, plus an amount per compressed byte,
 * because a few bytes can expand to any size.
 */
enum { UNPACK_LEAST = 1 << 25, UNPACK_TIMES = 32 };

static inline uint64_t unpack_allowed(uint64_t packed)
{
	return allowance_of(UNPACK_LEAST, UNPACK_TIMES, packed).left;
}

struct unpack_pieces {
	const struct unpack_method *method;
	void *state;
	/* callback that returns the next compressed bytes; an empty result marks the end */
	struct cairn_bytes (*next)(void *context);
	void *context;
	struct cairn_bytes in;
	uint8_t *piece;
	size_t at, count; /* start and end of the unread data in `piece` */
	uint64_t taken, made;
	/* `between`: the end of a frame has been reached; `ended`: there is no more output */
	bool between, ended;
	/* CAIRN_OK if the compressed data was complete, otherwise why the stream has ended early */
	struct cairn_fault end;
};

const struct unpack_method *unpack_find_method(struct cairn_bytes start);

/*
 * Open a stream. Return CAIRN_UNSUPPORTED if the method is unavailable, or CAIRN_NO_MEMORY. A
 * stream that could not be opened must not be closed.
 */
CAIRN_MUST_USE enum cairn_status unpack_pieces_open(struct unpack_pieces *pieces,
                                                    const struct unpack_method *method,
                                                    struct cairn_bytes (*next)(void *context),
                                                    void *context, struct cairn_fault *fault);
void unpack_pieces_close(struct unpack_pieces *pieces);

/*
 * Read up to `size` decompressed bytes. Return fewer only at the end, where pieces->end tells
 * whether the stream was complete.
 */
size_t unpack_pieces_read(struct unpack_pieces *pieces, void *buffer, size_t size);
uint64_t unpack_pieces_skip(struct unpack_pieces *pieces, uint64_t size);

/* Return the next `size` bytes (at most 64) without consuming them, or fewer at the end. */
struct cairn_bytes unpack_pieces_peek(struct unpack_pieces *pieces, size_t size);

#endif
