/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes zstd-compressed symbfiles, which symbol servers send. Only zstd_stream.c uses
 * <zstd.h>.
 */
#ifndef CAIRN_SERVER_NET_ZSTD_STREAM_H
#define CAIRN_SERVER_NET_ZSTD_STREAM_H

#include "os/atomic_file.h"

/* Write the bytes as one zstd frame with a checksum. Returns 0 or an errno value. */
CAIRN_MUST_USE int zstd_stream_write(struct os_durable *out, struct cairn_bytes bytes);

/*
 * Decompresses bytes as they arrive from a network, and copies data without the zstd magic
 * unchanged.
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
	uint64_t limit; /* maximum size of the output in bytes */
	void *stream;
	uint8_t *buffer;
	size_t buffer_size;
	uint8_t head[4]; /* first bytes, collected until the format is known */
	size_t head_size;
	uint64_t gone; /* number of bytes of the current frame that have been passed to zstd */
	/* `plain`: the input is uncompressed; `inside`: a frame is incomplete */
	bool plain, inside;
	int error; /* 0, or an errno value: EFBIG beyond the limit, EBADMSG for damaged data */
};

struct zstd_stream_reader *zstd_stream_reader_new(struct os_durable *out, uint64_t limit);
bool zstd_stream_reader_put(struct zstd_stream_reader *in, struct cairn_bytes bytes);

/* Finish the input. Returns false if a frame is incomplete. */
bool zstd_stream_reader_end(struct zstd_stream_reader *in);
void zstd_stream_reader_free(struct zstd_stream_reader *in);

#endif
