/* SPDX-License-Identifier: MIT */
/*
 * Chooses the sizes of the pieces in which a zstd stream is passed to libzstd. If a frame header
 * ends inside a piece, libzstd (1.5.4 and others) looks only at the rest of that piece and may take
 * the following data for a complete frame, so the output would depend on where the input was split.
 * A piece of one byte is too short for that, so each frame header is passed byte by byte. This can
 * be removed once libzstd uses the header that it has buffered.
 */
#ifndef CAIRN_BASE_ZSTD_PIECES_H
#define CAIRN_BASE_ZSTD_PIECES_H

#include <stddef.h>
#include <stdint.h>

enum { ZSTD_HEADER_MAX = 18 }; /* maximum size of a frame header, including the magic number */

/*
 * Return the number of bytes to pass next. `gone` bytes of the frame have been passed, and `left`
 * bytes are available.
 */
static inline size_t zstd_next_piece(uint64_t gone, size_t left)
{
	return gone < ZSTD_HEADER_MAX && left > 1 ? 1 : left;
}

#endif
