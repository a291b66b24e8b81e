/* SPDX-License-Identifier: MIT */
/* Decompresses LZ4 frames with liblz4. */
#include "unpack/method/method.h"

#define LZ4_MAGIC .name = "lz4", .magic = "\x04\x22\x4d\x18", .magic_size = 4

#ifdef CAIRN_HAVE_LZ4
#include <lz4frame.h>

static void *open_lz4(void)
{
	LZ4F_dctx *stream = NULL;

	return LZ4F_isError(LZ4F_createDecompressionContext(&stream, LZ4F_VERSION)) ? NULL : stream;
}

static void close_lz4(void *stream)
{
	LZ4F_freeDecompressionContext(stream);
}

static enum cairn_status step_lz4(void *stream, struct unpack_step *step)
{
	step->taken = step->in.size;
	step->made = step->room;
	size_t left =
		LZ4F_decompress(stream, step->out, &step->made, step->in.data, &step->taken, NULL);
	if (LZ4F_isError(left)) {
		step->taken = step->made = 0; /* undefined after an error */
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
