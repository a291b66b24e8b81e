/* SPDX-License-Identifier: MIT */
/*
 * Decompresses sections. Their headers (gABI, and the older GNU format) are:
 *
 *	elf32 = kind:u32 size:u32 align:u32
 *	elf64 = kind:u32 reserved:u32 size:u64 align:u64
 *	gnu   = "ZLIB" size:u64            (big-endian)
 */
#include "compressed_sections.h"

#include "base/error.h"
#include "base/reader.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#ifdef CAIRN_HAVE_ZLIB
#define ZLIB_CONST /* make next_in a pointer to const */
#include <zlib.h>
#endif
#ifdef CAIRN_HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif
#ifdef CAIRN_HAVE_ZSTD
#include <zstd.h>
#endif

enum {
	KIND_ZLIB = 1,
	KIND_ZSTD = 2,
};

struct head {
	uint32_t kind;
	uint64_t size;
};

static struct head read_head(struct reader *in, enum inflate_kind kind)
{
	struct head head = { KIND_ZLIB, 0 };
	static const uint8_t magic[4] = { 'Z', 'L', 'I', 'B' };

	switch (kind) {
	case INFLATE_ELF32:
		head.kind = reader_u32(in);
		head.size = reader_u32(in);
		reader_u32(in);
		break;
	case INFLATE_ELF64:
		head.kind = reader_u32(in);
		reader_u32(in);
		head.size = reader_u64(in);
		reader_u64(in);
		break;
	case INFLATE_GNU:
		in->big = true;
		if (memcmp(reader_bytes(in, 4).data, magic, reader_ok(in) ? 4 : 0) != 0)
			reader_fail(in, CAIRN_MALFORMED, "a .zdebug section without its mark");
		head.size = reader_u64(in);
		break;
	}
	return head;
}

#if defined(CAIRN_HAVE_ZLIB) && defined(CAIRN_HAVE_LIBDEFLATE)
/*
 * The input and output are completely in memory, so use libdeflate, which takes half of
 * zlib's time.
 */
static enum cairn_status inflate_zlib(struct cairn_bytes in, uint8_t *out, size_t size)
{
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();

	if (!decompressor)
		return CAIRN_NO_MEMORY;
	bool whole = libdeflate_zlib_decompress(decompressor, in.data, in.size, out, size, NULL) ==
	             LIBDEFLATE_SUCCESS;
	libdeflate_free_decompressor(decompressor);
	return whole ? CAIRN_OK : CAIRN_MALFORMED;
}
#elif defined(CAIRN_HAVE_ZLIB)
/* Feed the next piece. zlib counts in unsigned int, so larger sections are processed in pieces. */
static void next_piece(z_stream *stream, size_t in_left, size_t out_left)
{
	stream->avail_in = in_left < UINT_MAX ? (unsigned)in_left : UINT_MAX;
	stream->avail_out = out_left < UINT_MAX ? (unsigned)out_left : UINT_MAX;
}

static enum cairn_status inflate_zlib(struct cairn_bytes in, uint8_t *out, size_t size)
{
	z_stream stream = { .next_in = in.data, .next_out = out };
	int result = Z_OK;

	if (inflateInit(&stream) != Z_OK)
		return CAIRN_NO_MEMORY;
	while (result == Z_OK) {
		next_piece(&stream, (size_t)(in.data + in.size - stream.next_in),
		           (size_t)(out + size - stream.next_out));
		result = inflate(&stream, Z_NO_FLUSH);
	}
	bool whole = result == Z_STREAM_END && stream.next_out == out + size;
	inflateEnd(&stream);
	return whole ? CAIRN_OK : CAIRN_MALFORMED;
}
#else
static enum cairn_status inflate_zlib(struct cairn_bytes in, uint8_t *out, size_t size)
{
	(void)in, (void)out, (void)size;
	return CAIRN_UNSUPPORTED;
}
#endif

#ifdef CAIRN_HAVE_ZSTD
static enum cairn_status inflate_zstd(struct cairn_bytes in, uint8_t *out, size_t size)
{
	size_t result = ZSTD_decompress(out, size, in.data, in.size);
	return !ZSTD_isError(result) && result == size ? CAIRN_OK : CAIRN_MALFORMED;
}
#else
static enum cairn_status inflate_zstd(struct cairn_bytes in, uint8_t *out, size_t size)
{
	(void)in, (void)out, (void)size;
	return CAIRN_UNSUPPORTED;
}
#endif

static enum cairn_status fail_inflate(struct cairn_fault *fault, enum cairn_status status,
                                      size_t offset)
{
	static const char *const texts[] = {
		[CAIRN_MALFORMED] = "the compressed data is damaged",
		[CAIRN_UNSUPPORTED] = "compressed by a method that this cairn was built without",
		[CAIRN_NO_MEMORY] = "no memory to decompress a section",
	};

	*fault = (struct cairn_fault){ status, offset, texts[status] };
	return status;
}

static enum cairn_status inflate_into(struct head head, struct cairn_bytes in, uint8_t *out)
{
	switch (head.kind) {
	case KIND_ZLIB:
		return inflate_zlib(in, out, (size_t)head.size);
	case KIND_ZSTD:
		return inflate_zstd(in, out, (size_t)head.size);
	default:
		return CAIRN_UNSUPPORTED;
	}
}

static enum cairn_status check_head(struct cairn_bytes section, enum inflate_kind kind,
                                    struct reader *in, struct head *head, struct cairn_fault *fault)
{
	*head = read_head(in, kind);
	if (!reader_ok(in)) {
		*fault = in->fault;
		return fault->status;
	}
	if (head->size / INFLATE_MOST_SAVED <= section.size)
		return CAIRN_OK;
	return fault_set(fault, CAIRN_MALFORMED,
	                 "the section claims to be larger than its compressed data can be");
}

enum cairn_status inflate_section_size(struct cairn_bytes section, enum inflate_kind kind, bool big,
                                       size_t *size, struct cairn_fault *fault)
{
	struct reader in = reader_open(section, big);
	struct head head;
	enum cairn_status status = check_head(section, kind, &in, &head, fault);

	if (status == CAIRN_OK && head.size > SIZE_MAX) /* on 32-bit machines */
		return fail_inflate(fault, CAIRN_NO_MEMORY, 0);
	if (status == CAIRN_OK)
		*size = (size_t)head.size;
	return status;
}

enum cairn_status inflate_section_into(struct cairn_bytes section, enum inflate_kind kind, bool big,
                                       uint8_t *out, size_t size, struct cairn_fault *fault)
{
	struct reader in = reader_open(section, big);
	struct head head;
	enum cairn_status status = check_head(section, kind, &in, &head, fault);

	if (status != CAIRN_OK)
		return status;
	if (head.size != size)
		return fail_inflate(fault, CAIRN_MALFORMED, 0);
	status = inflate_into(head, reader_bytes(&in, reader_left(&in)), out);
	return status == CAIRN_OK ? CAIRN_OK : fail_inflate(fault, status, in.item);
}
