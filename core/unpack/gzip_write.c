/* SPDX-License-Identifier: MIT */
/* Compresses to gzip with zlib. */
#include "gzip_write.h"

#ifdef CAIRN_HAVE_ZLIB
#define ZLIB_CONST
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum { WITH_HEAD = 16 + MAX_WBITS, PIECE = 1 << 15, MEMORY_LEVEL = 8 };

void *gzip_pack_open(void)
{
	z_stream *stream = calloc(1, sizeof(*stream));

	if (stream && deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WITH_HEAD,
	                           MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK)
		return stream;
	free(stream);
	return NULL;
}

void gzip_pack_close(void *packer)
{
	if (!packer)
		return;
	deflateEnd(packer);
	free(packer);
}

static bool pack_piece(z_stream *stream, bool last, struct byte_buffer *out, bool *more)
{
	uint8_t *buffer = byte_buffer_extend(out, PIECE);
	int result;

	if (!buffer)
		return false;
	stream->next_out = buffer;
	stream->avail_out = PIECE;
	result = deflate(stream, last ? Z_FINISH : Z_NO_FLUSH);
	out->size -= stream->avail_out;
	*more = result != Z_STREAM_END && stream->avail_out == 0;
	return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
}

bool gzip_pack(void *packer, struct cairn_bytes bytes, bool last, struct byte_buffer *out)
{
	z_stream *stream = packer;
	bool good = true, more;

	do {
		const unsigned part = bytes.size < UINT_MAX ? (unsigned)bytes.size : UINT_MAX;
		const bool end = last && part == bytes.size;
		stream->next_in = bytes.data;
		stream->avail_in = part;
		for (more = true; good && more;)
			good = pack_piece(stream, end, out, &more);
		bytes = (struct cairn_bytes){ bytes.data + part, bytes.size - part };
	} while (good && bytes.size > 0);
	return good;
}

const char *gzip_pack_absent(void)
{
	return NULL;
}
#else
#pragma GCC diagnostic ignored "-Wunused-parameter"

void *gzip_pack_open(void)
{
	return NULL;
}

void gzip_pack_close(void *packer)
{
}

bool gzip_pack(void *packer, struct cairn_bytes bytes, bool last, struct byte_buffer *out)
{
	return false;
}

const char *gzip_pack_absent(void)
{
	return "the output is compressed with gzip, but cairn was built without zlib";
}
#endif
