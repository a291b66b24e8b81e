/* SPDX-License-Identifier: MIT */
/*
 * The piece sizes in which a zstd stream is passed to its library. libzstd (1.5.4 and others) looks
 * at the rest of a piece alone when a frame's header ends in it, and may take what follows there
 * for a whole frame of its own: what came out then depended on where the input was cut. A piece of
 * one byte is too short for that, so the header of each frame goes byte by byte. To go when libzstd
 * looks at the header that it has kept.
 */
#ifndef CAIRN_BASE_ZSTD_PIECES_H
#define CAIRN_BASE_ZSTD_PIECES_H

#include <stddef.h>
#include <stdint.h>

enum { ZSTD_HEADER_MAX = 18 }; /* bytes of the longest header of a frame, with its magic number */

/* How many of the `left` bytes go next, when so many of the frame have gone. */
static inline size_t zstd_next_piece(uint64_t gone, size_t left)
{
	return gone < ZSTD_HEADER_MAX && left > 1 ? 1 : left;
}

#endif
