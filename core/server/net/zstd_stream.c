/* SPDX-License-Identifier: MIT */
/*
 * Compresses and decompresses with bounded memory. A zstd frame may declare any size and expand a
 * thousandfold. Therefore the output is counted as it is produced, no buffer size depends on the
 * declared size, and the size of zstd's window, which is kept in memory, is limited.
 */
#include "zstd_stream.h"

#include "base/zstd_pieces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum {
	/*
	 * compression level, which reduces a `ranges` file to 19 % of its size; higher levels save
	 * little more and take much longer
	 */
	LEVEL = 3,
	WINDOW_LOG = 27, /* limits the window to 128 MiB, which is also zstd's default limit */
	MAGIC_SIZE = 4,
};

static const uint8_t magic[MAGIC_SIZE] = { 0x28, 0xb5, 0x2f, 0xfd };

static int write_frame(ZSTD_CCtx *context, uint8_t *buffer, struct cairn_bytes bytes,
                       struct os_durable *out)
{
	ZSTD_inBuffer in = { bytes.data, bytes.size, 0 };
	size_t left = 1;
	int error = 0;

	while (left > 0 && error == 0) {
		ZSTD_outBuffer piece = { buffer, ZSTD_CStreamOutSize(), 0 };
		left = ZSTD_compressStream2(context, &piece, &in, ZSTD_e_end);
		if (ZSTD_isError(left))
			return ENOMEM;
		error = os_durable_write(out, (struct cairn_bytes){ buffer, piece.pos });
	}
	return error;
}

int zstd_stream_write(struct os_durable *out, struct cairn_bytes bytes)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	uint8_t *buffer = malloc(ZSTD_CStreamOutSize());
	int error = ENOMEM;

	if (context && buffer) {
		ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
		ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
		ZSTD_CCtx_setPledgedSrcSize(context, bytes.size);
		error = write_frame(context, buffer, bytes, out);
	}
	free(buffer);
	ZSTD_freeCCtx(context);
	return error;
}

struct zstd_stream_reader *zstd_stream_reader_new(struct os_durable *out, uint64_t limit)
{
	struct zstd_stream_reader *in = calloc(1, sizeof(*in));
	ZSTD_DCtx *stream = ZSTD_createDCtx();
	uint8_t *buffer = malloc(ZSTD_DStreamOutSize());

	if (!in || !stream || !buffer) {
		free(buffer);
		ZSTD_freeDCtx(stream);
		free(in);
		return NULL;
	}
	ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, WINDOW_LOG);
	*in = (struct zstd_stream_reader){ .out = out,
		                           .limit = limit,
		                           .stream = stream,
		                           .buffer = buffer,
		                           .buffer_size = ZSTD_DStreamOutSize() };
	return in;
}

static bool fail_reader(struct zstd_stream_reader *in, int error)
{
	in->error = error;
	return false;
}

static bool write_plain(struct zstd_stream_reader *in, struct cairn_bytes bytes)
{
	if (bytes.size > in->limit - in->out->size)
		return fail_reader(in, EFBIG);
	int error = os_durable_write(in->out, bytes);
	return error ? fail_reader(in, error) : true;
}

static bool unpack_frames(struct zstd_stream_reader *in, struct cairn_bytes bytes)
{
	ZSTD_inBuffer from = { bytes.data, 0, 0 };
	bool more = true;

	/* write all available output before passing more input */
	while (more || from.pos < bytes.size) {
		ZSTD_outBuffer to = { in->buffer, in->buffer_size, 0 };
		size_t before = from.pos;
		from.size = before + zstd_next_piece(in->gone, bytes.size - before);
		size_t hint = ZSTD_decompressStream(in->stream, &to, &from);
		if (ZSTD_isError(hint))
			return fail_reader(in, EBADMSG);
		if (!write_plain(in, (struct cairn_bytes){ in->buffer, to.pos }))
			return false;
		in->inside = hint > 0;
		in->gone = in->inside ? in->gone + (from.pos - before) : 0;
		more = to.pos == to.size && in->inside;
	}
	return true;
}

static bool unpack_piece(struct zstd_stream_reader *in, struct cairn_bytes bytes)
{
	if (bytes.size == 0)
		return true;
	return in->plain ? write_plain(in, bytes) : unpack_frames(in, bytes);
}

/* Collect the first bytes, which determine the format. Returns true once there are enough. */
static bool read_magic(struct zstd_stream_reader *in, struct cairn_bytes *bytes)
{
	while (in->head_size < MAGIC_SIZE && bytes->size > 0) {
		in->head[in->head_size++] = *bytes->data++;
		bytes->size--;
	}
	in->plain = memcmp(in->head, magic, in->head_size) != 0;
	return in->head_size == MAGIC_SIZE;
}

bool zstd_stream_reader_put(struct zstd_stream_reader *in, struct cairn_bytes bytes)
{
	if (in->error)
		return false;
	if (in->head_size < MAGIC_SIZE) {
		if (!read_magic(in, &bytes))
			return true;
		if (!unpack_piece(in, (struct cairn_bytes){ in->head, MAGIC_SIZE }))
			return false;
	}
	return unpack_piece(in, bytes);
}

bool zstd_stream_reader_end(struct zstd_stream_reader *in)
{
	if (in->error)
		return false;
	if (in->head_size < MAGIC_SIZE)
		return write_plain(in, (struct cairn_bytes){ in->head, in->head_size });
	return in->inside ? fail_reader(in, EBADMSG) : true;
}

void zstd_stream_reader_free(struct zstd_stream_reader *in)
{
	if (!in)
		return;
	ZSTD_freeDCtx(in->stream);
	free(in->buffer);
	free(in);
}
