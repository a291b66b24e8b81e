/* SPDX-License-Identifier: MIT */
/* Symbfiles in zstd, as symbol servers hand them out.  All of <zstd.h> is after this. */
#ifndef CAIRN_SERVER_NET_PACKED_ZSTD_STREAM_H
#define CAIRN_SERVER_NET_PACKED_ZSTD_STREAM_H

#include "os/file/durable.h"

/* Writes the bytes as one frame with a checksum.  0 or an errno value. */
CAIRN_MUST_USE int zstd_stream_write(struct os_durable *out, struct cairn_bytes bytes);

/*
 * The other direction, bytes as they come from a network.  What does not begin as zstd does is
 * taken as it is.
 *
 *	struct zstd_stream_reader *in = zstd_stream_reader_new(&file, limit);
 *	while (next_piece(&bytes))
 *		if (!zstd_stream_reader_put(in, bytes))
 *			... in->error
 *	if (!zstd_stream_reader_end(in))
 *	zstd_stream_reader_free(in);
 */
struct zstd_stream_reader {
	struct os_durable *out;
	uint64_t limit; /* of what comes out */
	void *stream;   /* of zstd */
	uint8_t *buffer;
	size_t buffer_size;
	uint8_t head[4]; /* until it is known what this is */
	size_t head_size;
	uint64_t gone;      /* bytes of the frame that zstd has been given */
	bool plain, inside; /* inside: a frame has begun and not ended */
	int error;          /* 0, an errno value; EFBIG: past the limit; EBADMSG: damaged */
};

/* NULL when there is no memory. */
struct zstd_stream_reader *zstd_stream_reader_new(struct os_durable *out, uint64_t limit);
bool zstd_stream_reader_put(struct zstd_stream_reader *in, struct cairn_bytes bytes);

/* All has come: false when it ends inside a frame. */
bool zstd_stream_reader_end(struct zstd_stream_reader *in);
void zstd_stream_reader_free(struct zstd_stream_reader *in);

#endif
