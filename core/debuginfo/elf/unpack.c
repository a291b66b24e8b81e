/* SPDX-License-Identifier: MIT */
/* Decompresses a whole gzip or zstd file into memory within a size limit. */
#include "unpack.h"

#include "base/zstd_pieces.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#ifdef CAIRN_HAVE_ZLIB
#define ZLIB_CONST /* what is read is not written to */
#include <zlib.h>
#endif
#ifdef CAIRN_HAVE_ZSTD
#include <zstd.h>
#endif

enum { FIRST_ROOM = 1 << 16 };

/* What has been read, and what has come out. */
struct unpacking {
	struct cairn_bytes in;
	size_t at;       /* in it */
	size_t frame_at; /* where the frame of zstd began */
	uint8_t *out;
	size_t size, room, limit;
	const char *why; /* of a failure */
};

static enum cairn_status fail_unpacking(struct unpacking *u, enum cairn_status status,
                                        const char *why)
{
	u->why = why;
	return status;
}

#if defined(CAIRN_HAVE_ZLIB) || defined(CAIRN_HAVE_ZSTD)
/* There is room for at least one byte more. */
static enum cairn_status reserve_unpacked_byte(struct unpacking *u)
{
	size_t room = u->room ? u->room * 2 : FIRST_ROOM;

	if (u->size < u->room)
		return CAIRN_OK;
	if (u->size >= u->limit)
		return fail_unpacking(u, CAIRN_UNSUPPORTED,
		                      "the packed file unpacks to more than the limit of 1 GiB");
	if (room > u->limit)
		room = u->limit;
	uint8_t *grown = realloc(u->out, room);
	if (!grown)
		return fail_unpacking(u, CAIRN_NO_MEMORY, "no memory to unpack it");
	u->out = grown;
	u->room = room;
	return CAIRN_OK;
}
#endif

#ifdef CAIRN_HAVE_ZLIB
static unsigned clamp_piece_size(size_t size)
{
	return size < UINT_MAX ? (unsigned)size : UINT_MAX;
}

/* One step; at the end of a member the next one begins, if there is one. */
static enum cairn_status step_gzip(struct unpacking *u, z_stream *stream, bool *done)
{
	stream->next_in = u->in.data + u->at;
	stream->avail_in = clamp_piece_size(u->in.size - u->at);
	stream->next_out = u->out + u->size;
	stream->avail_out = clamp_piece_size(u->room - u->size);
	int result = inflate(stream, Z_NO_FLUSH);
	u->at = (size_t)(stream->next_in - u->in.data);
	u->size = (size_t)(stream->next_out - u->out);
	if (result == Z_STREAM_END) {
		*done = u->at == u->in.size;
		return *done || inflateReset(stream) == Z_OK ? CAIRN_OK : CAIRN_NO_MEMORY;
	}
	if (result == Z_BUF_ERROR && u->at == u->in.size)
		return fail_unpacking(u, CAIRN_TRUNCATED, "the packed file ends too early");
	if (result != Z_OK)
		return fail_unpacking(u, CAIRN_MALFORMED, "the packed file is damaged");
	return CAIRN_OK;
}

static enum cairn_status unpack_gzip(struct unpacking *u)
{
	enum { GZIP = 16 + MAX_WBITS }; /* with its head */
	z_stream stream = { .next_in = u->in.data };
	enum cairn_status status = CAIRN_OK;
	bool done = false;

	if (inflateInit2(&stream, GZIP) != Z_OK)
		return fail_unpacking(u, CAIRN_NO_MEMORY, "no memory to unpack it");
	while (!done && status == CAIRN_OK) {
		status = reserve_unpacked_byte(u);
		if (status == CAIRN_OK)
			status = step_gzip(u, &stream, &done);
	}
	inflateEnd(&stream);
	return status;
}
#else
static enum cairn_status unpack_gzip(struct unpacking *u)
{
	return fail_unpacking(u, CAIRN_UNSUPPORTED,
	                      "a gzip file, and cairn was built without zlib");
}
#endif

#ifdef CAIRN_HAVE_ZSTD
static enum cairn_status step_zstd(struct unpacking *u, ZSTD_DStream *stream, bool *done)
{
	size_t piece = zstd_next_piece(u->at - u->frame_at, u->in.size - u->at);
	ZSTD_inBuffer in = { u->in.data, u->at + piece, u->at };
	ZSTD_outBuffer out = { u->out, u->room, u->size };
	size_t left = ZSTD_decompressStream(stream, &out, &in);

	if (ZSTD_isError(left))
		return fail_unpacking(u, CAIRN_MALFORMED, "the packed file is damaged");
	bool moved = in.pos > u->at || out.pos > u->size;
	u->at = in.pos;
	u->size = out.pos;
	if (left == 0)
		u->frame_at = u->at;
	*done = left == 0 && u->at == u->in.size;
	if (!moved && !*done && u->at == u->in.size)
		return fail_unpacking(u, CAIRN_TRUNCATED, "the packed file ends too early");
	return CAIRN_OK;
}

static enum cairn_status unpack_zstd(struct unpacking *u)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	enum cairn_status status = CAIRN_OK;
	bool done = false;

	if (!stream)
		return fail_unpacking(u, CAIRN_NO_MEMORY, "no memory to unpack it");
	while (!done && status == CAIRN_OK) {
		status = reserve_unpacked_byte(u);
		if (status == CAIRN_OK)
			status = step_zstd(u, stream, &done);
	}
	ZSTD_freeDStream(stream);
	return status;
}
#else
static enum cairn_status unpack_zstd(struct unpacking *u)
{
	return fail_unpacking(u, CAIRN_UNSUPPORTED,
	                      "a zstd file, and cairn was built without libzstd");
}
#endif

static bool has_magic_bytes(struct cairn_bytes bytes, const char *mark, size_t size)
{
	return bytes.size >= size && memcmp(bytes.data, mark, size) == 0;
}

enum cairn_status unpack_file(struct os_file *file, size_t limit, struct cairn_fault *fault)
{
	struct unpacking u = { .in = file->bytes, .limit = limit };
	enum cairn_status status;

	if (has_magic_bytes(u.in, "\x28\xb5\x2f\xfd", 4))
		status = unpack_zstd(&u);
	else if (has_magic_bytes(u.in, "\x1f\x8b", 2))
		status = unpack_gzip(&u);
	else
		return CAIRN_OK;
	if (status != CAIRN_OK) {
		free(u.out);
		*fault = (struct cairn_fault){ status, u.at, u.why };
		return status;
	}
	os_file_close(file);
	*file = (struct os_file){ .bytes = { u.out, u.size }, .memory = u.out };
	return CAIRN_OK;
}
