/* SPDX-License-Identifier: MIT */
/* Decompresses xz with liblzma. */
#include "unpack/method/method.h"

#define XZ_MAGIC           \
	.name = "xz",      \
	.magic = "\xfd"    \
		 "7zXZ\0", \
	.magic_size = 6

#ifdef CAIRN_HAVE_LZMA
#include <lzma.h>
#include <stdlib.h>

struct xz_state {
	lzma_stream stream;
	bool ended;
};

static void *open_xz(void)
{
	struct xz_state *state = malloc(sizeof(*state));

	if (!state)
		return NULL;
	*state = (struct xz_state){ .stream = LZMA_STREAM_INIT };
	if (lzma_stream_decoder(&state->stream, UNPACK_WINDOW_MAX, 0) == LZMA_OK)
		return state;
	free(state);
	return NULL;
}

static void close_xz(void *context)
{
	struct xz_state *state = context;

	lzma_end(&state->stream);
	free(state);
}

static enum cairn_status fail_xz(struct unpack_step *step, lzma_ret result)
{
	step->why = "the packed file is damaged";
	if (result == LZMA_MEM_ERROR) {
		step->why = "no memory to unpack it";
		return CAIRN_NO_MEMORY;
	}
	if (result == LZMA_MEMLIMIT_ERROR || result == LZMA_OPTIONS_ERROR) {
		step->why = result == LZMA_MEMLIMIT_ERROR
		                    ? "the xz dictionary is larger than the limit of 128 MiB"
		                    : "packed by an unknown method of xz";
		return CAIRN_UNSUPPORTED;
	}
	return CAIRN_MALFORMED;
}

/* Skip zeros between two streams, which come in multiples of four. */
static bool skip_zeros(struct unpack_step *step)
{
	while (step->taken < step->in.size && step->in.data[step->taken] == 0)
		step->taken++;
	return step->taken > 0;
}

static enum cairn_status step_xz(void *context, struct unpack_step *step)
{
	struct xz_state *state = context;
	lzma_stream *stream = &state->stream;

	step->between = state->ended;
	if (state->ended && (step->in.size == 0 || skip_zeros(step)))
		return CAIRN_OK;
	if (state->ended && lzma_stream_decoder(stream, UNPACK_WINDOW_MAX, 0) != LZMA_OK)
		return fail_xz(step, LZMA_MEM_ERROR);
	state->ended = false;
	stream->next_in = step->in.data;
	stream->avail_in = step->in.size;
	stream->next_out = step->out;
	stream->avail_out = step->room;
	lzma_ret result = lzma_code(stream, LZMA_RUN);
	step->taken = step->in.size - stream->avail_in;
	step->made = step->room - stream->avail_out;
	state->ended = result == LZMA_STREAM_END;
	step->between = state->ended;
	if (result == LZMA_OK || result == LZMA_STREAM_END || result == LZMA_BUF_ERROR)
		return CAIRN_OK;
	return fail_xz(step, result);
}

const struct unpack_method unpack_xz = { XZ_MAGIC, .open = open_xz, .step = step_xz,
	                                 .close = close_xz };
#else
const struct unpack_method unpack_xz = {
	XZ_MAGIC, .absent = "an xz file, and cairn was built without liblzma"
};
#endif
