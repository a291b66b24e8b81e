/* SPDX-License-Identifier: MIT */
#include "minidebug.h"

#include "formats/elf/elf.h"

#include <stdlib.h>

#ifdef CAIRN_HAVE_LZMA
#include <lzma.h>
#endif

static enum cairn_status fail(struct cairn_fault *fault, enum cairn_status status, size_t offset,
                              const char *what)
{
	*fault = (struct cairn_fault){ status, offset, what };
	return status;
}

#ifdef CAIRN_HAVE_LZMA
/* What is unpacked, and how large it may get. */
struct unpacked {
	uint8_t *data;
	size_t room, most;
};

/* More room for the stream to write to; false when there is no more. */
static bool grow(struct unpacked *out, lzma_stream *stream)
{
	size_t used = out->room, room = used ? 2 * used : 1 << 16;

	if (room > out->most)
		room = out->most;
	uint8_t *grown = room > used ? realloc(out->data, room) : NULL;
	if (!grown)
		return false;
	out->data = grown;
	out->room = room;
	stream->next_out = grown + used;
	stream->avail_out = room - used;
	return true;
}

static enum cairn_status run(lzma_stream *stream, struct unpacked *out, struct cairn_fault *fault)
{
	lzma_ret result = LZMA_OK;

	while (result == LZMA_OK) {
		if (stream->avail_out == 0 && !grow(out, stream))
			return fail(fault, CAIRN_MALFORMED, (size_t)stream->total_in,
			            "it unpacks to more than symbols would");
		result = lzma_code(stream, LZMA_FINISH);
	}
	if (result == LZMA_STREAM_END)
		return CAIRN_OK;
	if (result == LZMA_MEM_ERROR || result == LZMA_MEMLIMIT_ERROR)
		return fail(fault, CAIRN_NO_MEMORY, 0, "it needs too much memory to unpack");
	return fail(fault, CAIRN_MALFORMED, (size_t)stream->total_in,
	            "compressed data are damaged");
}

static enum cairn_status unpack(struct cairn_bytes packed, void **memory, size_t *size,
                                struct cairn_fault *fault)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	struct unpacked out = { .most = packed.size * MINIDEBUG_MOST_SAVED + MINIDEBUG_LEAST };

	if (lzma_stream_decoder(&stream, MINIDEBUG_WORK_MAX, 0) != LZMA_OK)
		return fail(fault, CAIRN_NO_MEMORY, 0, "no memory to unpack it");
	stream.next_in = packed.data;
	stream.avail_in = packed.size;
	enum cairn_status status = run(&stream, &out, fault);
	*size = (size_t)stream.total_out;
	lzma_end(&stream);
	if (status != CAIRN_OK) {
		free(out.data);
		return status;
	}
	*memory = out.data;
	return CAIRN_OK;
}
#else
static enum cairn_status unpack(struct cairn_bytes packed, void **memory, size_t *size,
                                struct cairn_fault *fault)
{
	(void)packed, (void)memory, (void)size;
	return fail(fault, CAIRN_UNSUPPORTED, 0, "cairn was built without liblzma to unpack it");
}
#endif

enum cairn_status minidebug_read(struct cairn_bytes file, void **memory, size_t *size,
                                 struct cairn_fault *fault)
{
	struct elf_section section;
	struct elf elf;

	if (elf_open(file, &elf, fault) != CAIRN_OK)
		return fault->status;
	if (!elf_find_section(&elf, ".gnu_debugdata", &section))
		return fail(fault, CAIRN_NOT_FOUND, 0, "no .gnu_debugdata");
	return unpack(elf_section_bytes(&elf, &section), memory, size, fault);
}
