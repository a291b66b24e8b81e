/* SPDX-License-Identifier: MIT */
/* Unpacks LZ4's frames by liblz4. */
#include "unpack/method/method.h"

#define LZ4_MAGIC .name = "lz4", .magic = "\x04\x22\x4d\x18", .magic_size = 4

#ifdef CAIRN_HAVE_LZ4
#include <lz4frame.h>
#include <stdlib.h>

struct lz4_state {
	LZ4F_dctx *stream;
};

static void *open_lz4(void)
{
	struct lz4_state *state = calloc(1, sizeof(*state));

	if (state && !LZ4F_isError(LZ4F_createDecompressionContext(&state->stream, LZ4F_VERSION)))
		return state;
	free(state);
	return NULL;
}

static void close_lz4(void *context)
{
	struct lz4_state *state = context;

	LZ4F_freeDecompressionContext(state->stream);
	free(state);
}

static enum cairn_status step_lz4(void *context, struct unpack_step *step)
{
	struct lz4_state *state = context;

	step->taken = step->in.size;
	step->made = step->room;
	size_t left = LZ4F_decompress(state->stream, step->out, &step->made, step->in.data,
	                              &step->taken, NULL);
	if (LZ4F_isError(left)) {
		step->taken = step->made = 0; /* which the library leaves open */
		step->why = "the packed file is damaged";
		return CAIRN_MALFORMED;
	}
	step->between = left == 0;
	return CAIRN_OK;
}

const struct unpack_method unpack_lz4 = { LZ4_MAGIC, .open = open_lz4, .step = step_lz4,
	                                  .close = close_lz4 };
#else
const struct unpack_method unpack_lz4 = {
	LZ4_MAGIC, .absent = "an lz4 file, and cairn was built without liblz4"
};
#endif
