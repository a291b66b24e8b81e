/* SPDX-License-Identifier: MIT */
/* Decompresses .gnu_debugdata with liblzma. */
#include "minidebug.h"

#include "base/error.h"
#include "formats/elf/elf.h"

#include <stdlib.h>

#ifdef CAIRN_HAVE_LZMA
#include <lzma.h>
#endif

#ifdef CAIRN_HAVE_LZMA
struct unpacked {
	uint8_t *data;
	size_t room, most;
};

static enum cairn_status grow_xz_output(struct unpacked *out, lzma_stream *stream,
                                        struct cairn_fault *fault)
{
	size_t used = out->room, room = used ? 2 * used : 1 << 16;

	if (used == out->most)
		return fault_set_at(fault, CAIRN_MALFORMED, (size_t)stream->total_in,
		                    "it unpacks to more than a symbol table needs");
	if (room > out->most)
		room = out->most;
	uint8_t *grown = realloc(out->data, room);
	if (!grown)
		return fault_set(fault, CAIRN_NO_MEMORY, "no memory to unpack it");
	out->data = grown;
	out->room = room;
	stream->next_out = grown + used;
	stream->avail_out = room - used;
	return CAIRN_OK;
}

static enum cairn_status fail_stream(lzma_ret result, size_t offset, struct cairn_fault *fault)
{
	if (result == LZMA_MEM_ERROR)
		return fault_set(fault, CAIRN_NO_MEMORY, "no memory to unpack it");
	if (result == LZMA_MEMLIMIT_ERROR)
		return fault_set_at(fault, CAIRN_UNSUPPORTED, offset,
		                    "the xz dictionary is larger than the limit of 128 MiB");
	if (result == LZMA_OPTIONS_ERROR)
		return fault_set_at(fault, CAIRN_UNSUPPORTED, offset,
		                    "packed by an unknown method");
	if (result == LZMA_FORMAT_ERROR)
		return fault_set(fault, CAIRN_MALFORMED, "not xz data");
	if (result == LZMA_BUF_ERROR)
		return fault_set_at(fault, CAIRN_TRUNCATED, offset,
		                    "the compressed data ends too early");
	return fault_set_at(fault, CAIRN_MALFORMED, offset, "the compressed data is damaged");
}

static enum cairn_status run_xz_decoder(lzma_stream *stream, struct unpacked *out,
                                        struct cairn_fault *fault)
{
	lzma_ret result = LZMA_OK;

	while (result == LZMA_OK) {
		if (stream->avail_out == 0 && grow_xz_output(out, stream, fault) != CAIRN_OK)
			return fault->status;
		result = lzma_code(stream, LZMA_FINISH);
	}
	return result == LZMA_STREAM_END ? CAIRN_OK
	                                 : fail_stream(result, (size_t)stream->total_in, fault);
}

enum cairn_status minidebug_unpack(struct cairn_bytes packed, void **memory, size_t *size,
                                   struct cairn_fault *fault)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	struct unpacked out = { .most = packed.size * MINIDEBUG_MOST_SAVED + MINIDEBUG_LEAST };

	if (lzma_stream_decoder(&stream, MINIDEBUG_WORK_MAX, 0) != LZMA_OK)
		return fault_set(fault, CAIRN_NO_MEMORY, "no memory to unpack it");
	stream.next_in = packed.data;
	stream.avail_in = packed.size;
	enum cairn_status status = run_xz_decoder(&stream, &out, fault);
	size_t got = (size_t)stream.total_out;
	lzma_end(&stream);
	if (status != CAIRN_OK) {
		free(out.data);
		return status;
	}
	*memory = out.data;
	*size = got;
	return CAIRN_OK;
}
#else
enum cairn_status minidebug_unpack(struct cairn_bytes packed, void **memory, size_t *size,
                                   struct cairn_fault *fault)
{
	(void)packed, (void)memory, (void)size;
	return fault_set(fault, CAIRN_UNSUPPORTED, "cairn was built without liblzma to unpack it");
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
		return fault_set(fault, CAIRN_NOT_FOUND, "no .gnu_debugdata");
	return minidebug_unpack(elf_section_bytes(&elf, &section), memory, size, fault);
}
