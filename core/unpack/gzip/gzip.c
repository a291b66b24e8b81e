/* SPDX-License-Identifier: MIT */
/* Decompresses gzip with zlib. */
#include "unpack/method/method.h"

#define GZIP_MAGIC .name = "gzip", .magic = "\x1f\x8b", .magic_size = 2

#ifdef CAIRN_HAVE_ZLIB
#define ZLIB_CONST /* makes zlib's input pointer const */
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

struct gzip_state {
	z_stream stream;
	bool ended;
};

static void *open_gzip(void)
{
	enum { WITH_HEAD = 16 + MAX_WBITS };
	struct gzip_state *state = calloc(1, sizeof(*state));

	if (state && inflateInit2(&state->stream, WITH_HEAD) == Z_OK)
		return state;
	free(state);
	return NULL;
}

static void close_gzip(void *state)
{
	inflateEnd(&((struct gzip_state *)state)->stream);
	free(state);
}

static unsigned clamp_piece(size_t size)
{
	return size < UINT_MAX ? (unsigned)size : UINT_MAX;
}

static enum cairn_status step_gzip(void *context, struct unpack_step *step)
{
	struct gzip_state *state = context;
	z_stream *stream = &state->stream;

	if (state->ended && step->in.size > 0) {
		state->ended = false;
		if (inflateReset(stream) != Z_OK)
			return CAIRN_NO_MEMORY;
	}
	stream->next_in = step->in.data;
	stream->avail_in = clamp_piece(step->in.size);
	stream->next_out = step->out;
	stream->avail_out = clamp_piece(step->room);
	int result = state->ended ? Z_STREAM_END : inflate(stream, Z_NO_FLUSH);
	step->taken = (size_t)(stream->next_in - step->in.data);
	step->made = (size_t)(stream->next_out - step->out);
	state->ended = result == Z_STREAM_END;
	step->between = state->ended;
	if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR)
		return CAIRN_OK;
	step->why = result == Z_MEM_ERROR ? "no memory to unpack it" : "the packed file is damaged";
	return result == Z_MEM_ERROR ? CAIRN_NO_MEMORY : CAIRN_MALFORMED;
}

const struct unpack_method unpack_gzip = { GZIP_MAGIC, .open = open_gzip, .step = step_gzip,
	                                   .close = close_gzip };
#else
const struct unpack_method unpack_gzip = {
	GZIP_MAGIC, .absent = "a gzip file, and cairn was built without zlib"
};
#endif
