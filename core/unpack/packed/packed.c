/* SPDX-License-Identifier: MIT */
/* Decompresses a stream piece by piece, with a limit for the total output. */
#include "packed.h"

#include "base/fault.h"

#include <stdlib.h>
#include <string.h>

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
	return fault_set(fault, CAIRN_NO_MEMORY, "no memory to unpack it");
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
		                    .room = PIECE - pieces->count };
	enum cairn_status status = pieces->method->step(pieces->state, &step);

	pieces->taken += step.taken;
	pieces->in.data += step.taken;
	pieces->in.size -= step.taken;
	pieces->count += step.made;
	pieces->made += step.made;
	if (status != CAIRN_OK) {
		end_pieces(pieces, status, step.why ? step.why : "no memory to unpack it");
		return;
	}
	if (step.taken + step.made > 0 || step.between)
		pieces->between = step.between;
	if (pieces->made > UNPACK_STREAM_MAX)
		end_pieces(pieces, CAIRN_UNSUPPORTED,
		           "the packed file unpacks to more than the limit of 1 TiB");
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
			end_pieces(pieces, CAIRN_TRUNCATED, "the packed file ends too early");
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
