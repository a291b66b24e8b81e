/* SPDX-License-Identifier: MIT */
/* Decompresses the records of a recording, which form a single stream without an end mark. */
#include "profile.h"

#include "unpack/unpack.h"

#include <stdlib.h>

enum { PIECE = 1 << 20 };

static enum cairn_status read_stream(struct unpack_pieces *pieces, uint64_t limit,
                                     struct byte_buffer *out)
{
	size_t got = PIECE;

	while (got == PIECE) {
		uint8_t *room = byte_buffer_extend(out, PIECE);
		if (!room)
			return out->size >= limit - PIECE ? CAIRN_UNSUPPORTED : CAIRN_NO_MEMORY;
		got = unpack_pieces_read(pieces, room, PIECE);
		out->size -= PIECE - got;
	}
	return out->size > 0 || pieces->end.status == CAIRN_OK ? CAIRN_OK : pieces->end.status;
}

enum cairn_status profile_unpack(void *context, struct cairn_bytes (*next)(void *pieces),
                                 void *pieces, void **memory, size_t *size)
{
	const struct profile_recording *recording = context;
	const uint64_t limit = unpack_allowed(recording->worth);
	struct byte_buffer out = { .limit = limit > SIZE_MAX ? SIZE_MAX : (size_t)limit };
	struct unpack_pieces stream;
	struct cairn_fault fault;
	enum cairn_status status = unpack_zstd.absent ? CAIRN_UNSUPPORTED : CAIRN_OK;

	if (status == CAIRN_OK)
		status = unpack_pieces_open(&stream, &unpack_zstd, next, pieces, &fault);
	if (status != CAIRN_OK)
		return status;
	status = read_stream(&stream, limit, &out);
	unpack_pieces_close(&stream);
	if (status != CAIRN_OK) {
		byte_buffer_finish(&out);
		return status;
	}
	*memory = out.data;
	*size = out.size;
	return CAIRN_OK;
}
