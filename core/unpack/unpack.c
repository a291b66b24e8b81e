/* SPDX-License-Identifier: MIT */
/*
 * Decompresses gzip with zlib, zstd with libzstd, xz with liblzma and LZ4 frames with liblz4, piece
 * by piece and with a limit on the total output. Each library is optional.
 */
#include "unpack.h"

#include "base/error.h"
#include "base/zstd_pieces.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#ifdef CAIRN_HAVE_ZLIB
#define ZLIB_CONST /* makes zlib's input pointer const */
#include <zlib.h>
#endif
#ifdef CAIRN_HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef CAIRN_HAVE_LZMA
#include <lzma.h>
#endif
#ifdef CAIRN_HAVE_LZ4
#include <lz4frame.h>
#endif

#define GZIP_MAGIC .name = "gzip", .magic = "\x1f\x8b", .magic_size = 2

#ifdef CAIRN_HAVE_ZLIB
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
	stream->avail_out = clamp_piece(step->capacity);
	int result = state->ended ? Z_STREAM_END : inflate(stream, Z_NO_FLUSH);
	step->taken = (size_t)(stream->next_in - step->in.data);
	step->made = (size_t)(stream->next_out - step->out);
	state->ended = result == Z_STREAM_END;
	step->between = state->ended;
	if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR)
		return CAIRN_OK;
	step->why = result == Z_MEM_ERROR ? "out of memory while decompressing"
	                                  : "the compressed file is damaged";
	return result == Z_MEM_ERROR ? CAIRN_NO_MEMORY : CAIRN_MALFORMED;
}

const struct unpack_method unpack_gzip = { GZIP_MAGIC, .open = open_gzip, .step = step_gzip,
	                                   .close = close_gzip };
#else
const struct unpack_method unpack_gzip = {
	GZIP_MAGIC, .absent = "a gzip file, but cairn was built without zlib"
};
#endif

#define ZSTD_MAGIC .name = "zstd", .magic = "\x28\xb5\x2f\xfd", .magic_size = 4

#ifdef CAIRN_HAVE_ZSTD
struct zstd_state {
	ZSTD_DStream *stream;
	uint64_t gone; /* number of frame bytes passed to libzstd so far */
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
	ZSTD_outBuffer out = { step->out, step->capacity, 0 };
	size_t left = ZSTD_decompressStream(state->stream, &out, &in);

	if (ZSTD_isError(left)) {
		step->why = "the compressed file is damaged";
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
	ZSTD_MAGIC, .absent = "a zstd file, but cairn was built without libzstd"
};
#endif

#define XZ_MAGIC           \
	.name = "xz",      \
	.magic = "\xfd"    \
		 "7zXZ\0", \
	.magic_size = 6

#ifdef CAIRN_HAVE_LZMA
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
	step->why = "the compressed file is damaged";
	if (result == LZMA_MEM_ERROR) {
		step->why = "out of memory while decompressing";
		return CAIRN_NO_MEMORY;
	}
	if (result == LZMA_MEMLIMIT_ERROR || result == LZMA_OPTIONS_ERROR) {
		step->why = result == LZMA_MEMLIMIT_ERROR
		                    ? "the xz dictionary is larger than the limit of 128 MiB"
		                    : "compressed by an unknown method of xz";
		return CAIRN_UNSUPPORTED;
	}
	return CAIRN_MALFORMED;
}

/* Skip zeros between two streams. Their number is a multiple of four. */
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
	stream->avail_out = step->capacity;
	lzma_ret result = lzma_code(stream, LZMA_RUN);
	step->taken = step->in.size - stream->avail_in;
	step->made = step->capacity - stream->avail_out;
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
	XZ_MAGIC, .absent = "an xz file, but cairn was built without liblzma"
};
#endif

#define LZ4_MAGIC .name = "lz4", .magic = "\x04\x22\x4d\x18", .magic_size = 4

#ifdef CAIRN_HAVE_LZ4
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
	step->made = step->capacity;
	size_t left =
		LZ4F_decompress(stream, step->out, &step->made, step->in.data, &step->taken, NULL);
	if (LZ4F_isError(left)) {
		step->taken = step->made = 0; /* LZ4F leaves both sizes undefined after an error */
		step->why = "the compressed file is damaged";
		return CAIRN_MALFORMED;
	}
	step->between = left == 0;
	return CAIRN_OK;
}

const struct unpack_method unpack_lz4 = { LZ4_MAGIC, .open = open_lz4, .step = step_lz4,
	                                  .close = close_lz4 };
#else
const struct unpack_method unpack_lz4 = {
	LZ4_MAGIC, .absent = "an lz4 file, but cairn was built without liblz4"
};
#endif

enum { PIECE = 1 << 18 };

const struct unpack_method *unpack_find_method(struct cairn_bytes start)
{
	static const struct unpack_method *const methods[] = { &unpack_gzip, &unpack_zstd,
		                                               &unpack_xz, &unpack_lz4 };

	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (start.size >= methods[i]->magic_size &&
		    memcmp(start.data, methods[i]->magic, methods[i]->magic_size) == 0)
			return methods[i];
	return NULL;
}

enum cairn_status unpack_pieces_open(struct unpack_pieces *pieces,
                                     const struct unpack_method *method,
                                     struct cairn_bytes (*next)(void *context), void *context,
                                     struct cairn_fault *fault)
{
	*pieces = (struct unpack_pieces){ .method = method, .next = next, .context = context };
	if (method->absent) {
		return fault_set(fault, CAIRN_UNSUPPORTED, method->absent);
	}
	pieces->piece = malloc(PIECE);
	pieces->state = pieces->piece ? method->open() : NULL;
	if (pieces->state)
		return CAIRN_OK;
	free(pieces->piece);
	return fault_set(fault, CAIRN_NO_MEMORY, "out of memory while decompressing");
}

void unpack_pieces_close(struct unpack_pieces *pieces)
{
	pieces->method->close(pieces->state);
	free(pieces->piece);
}

static void end_pieces(struct unpack_pieces *pieces, enum cairn_status status, const char *why)
{
	pieces->ended = true;
	pieces->end = (struct cairn_fault){ status, pieces->taken, why };
}

static void step_pieces(struct unpack_pieces *pieces)
{
	struct unpack_step step = { .in = pieces->in,
		                    .out = pieces->piece + pieces->count,
		                    .capacity = PIECE - pieces->count };
	enum cairn_status status = pieces->method->step(pieces->state, &step);

	pieces->taken += step.taken;
	pieces->in.data += step.taken;
	pieces->in.size -= step.taken;
	pieces->count += step.made;
	pieces->made += step.made;
	if (status != CAIRN_OK) {
		end_pieces(pieces, status,
		           step.why ? step.why : "out of memory while decompressing");
		return;
	}
	if (step.taken + step.made > 0 || step.between)
		pieces->between = step.between;
	if (pieces->made > UNPACK_STREAM_MAX)
		end_pieces(pieces, CAIRN_UNSUPPORTED, "too large when decompressed (limit: 1 TiB)");
}

static bool fill_piece(struct unpack_pieces *pieces)
{
	const size_t before = pieces->count - pieces->at;

	memmove(pieces->piece, pieces->piece + pieces->at, before);
	pieces->count = before;
	pieces->at = 0;
	while (!pieces->ended && pieces->count == before) {
		const uint64_t taken = pieces->taken;
		if (pieces->in.size == 0)
			pieces->in = pieces->next(pieces->context);
		const bool last = pieces->in.size == 0;
		if (last && pieces->between)
			end_pieces(pieces, CAIRN_OK, NULL);
		else
			step_pieces(pieces);
		if (last && !pieces->ended && pieces->count == before && pieces->taken == taken)
			end_pieces(pieces, CAIRN_TRUNCATED, "the compressed data is truncated");
	}
	return pieces->count > before;
}

struct cairn_bytes unpack_pieces_peek(struct unpack_pieces *pieces, size_t size)
{
	while (pieces->count - pieces->at < size && fill_piece(pieces))
		;
	const size_t have = pieces->count - pieces->at;
	return (struct cairn_bytes){ pieces->piece + pieces->at, have < size ? have : size };
}

static struct cairn_bytes take_part(struct unpack_pieces *pieces, uint64_t size)
{
	if (pieces->at == pieces->count)
		fill_piece(pieces);
	const size_t have = pieces->count - pieces->at;
	const size_t part = size < have ? (size_t)size : have;
	const struct cairn_bytes bytes = { pieces->piece + pieces->at, part };
	pieces->at += part;
	return bytes;
}

size_t unpack_pieces_read(struct unpack_pieces *pieces, void *buffer, size_t size)
{
	uint8_t *out = buffer;
	size_t done = 0;

	while (done < size) {
		const struct cairn_bytes part = take_part(pieces, size - done);
		if (part.size == 0)
			break;
		memcpy(out + done, part.data, part.size);
		done += part.size;
	}
	return done;
}

uint64_t unpack_pieces_skip(struct unpack_pieces *pieces, uint64_t size)
{
	uint64_t done = 0;

	while (done < size) {
		const struct cairn_bytes part = take_part(pieces, size - done);
		if (part.size == 0)
			break;
		done += part.size;
	}
	return done;
}
