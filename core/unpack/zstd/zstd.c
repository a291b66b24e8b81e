/* SPDX-License-Identifier: MIT */
/* Decompresses zstd with libzstd. */
#include "unpack/method/method.h"

#define ZSTD_MAGIC .name = "zstd", .magic = "\x28\xb5\x2f\xfd", .magic_size = 4

#ifdef CAIRN_HAVE_ZSTD
#include "base/zstd_pieces.h"

#include <stdlib.h>
#include <zstd.h>

struct zstd_state {
	ZSTD_DStream *stream;
	uint64_t gone; /* bytes of the frame passed so far */
};

static void *open_zstd(void)
{
	struct zstd_state *state = calloc(1, sizeof(*state));

	if (state)
		state->stream = ZSTD_createDStream();
	if (state && state->stream)
		return state;
	free(state);
	return NULL;
}

static void close_zstd(void *context)
{
	struct zstd_state *state = context;

	ZSTD_freeDStream(state->stream);
	free(state);
}

static enum cairn_status step_zstd(void *context, struct unpack_step *step)
{
	struct zstd_state *state = context;
	ZSTD_inBuffer in = { step->in.data, zstd_next_piece(state->gone, step->in.size), 0 };
	ZSTD_outBuffer out = { step->out, step->room, 0 };
	size_t left = ZSTD_decompressStream(state->stream, &out, &in);

	if (ZSTD_isError(left)) {
		step->why = "the packed file is damaged";
		return CAIRN_MALFORMED;
	}
	step->taken = in.pos;
	step->made = out.pos;
	step->between = left == 0;
	state->gone = left == 0 ? 0 : state->gone + in.pos;
	return CAIRN_OK;
}

const struct unpack_method unpack_zstd = { ZSTD_MAGIC, .open = open_zstd, .step = step_zstd,
	                                   .close = close_zstd };
#else
const struct unpack_method unpack_zstd = {
	ZSTD_MAGIC, .absent = "a zstd file, and cairn was built without libzstd"
};
#endif
