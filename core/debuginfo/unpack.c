/* SPDX-License-Identifier: MIT */
/* Decompresses whole files, sections of ELF files, and .gnu_debugdata. */
#include "unpack.h"

#include "base/error.h"
#include "base/reader.h"
#include "formats/elf/elf.h"
#include "unpack/unpack.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 1 << 16 };

struct unpacking {
	struct cairn_bytes in;
	size_t at;
	uint8_t *out;
	size_t size, capacity, limit;
	bool done;
	const char *why;
};

static enum cairn_status fail_unpacking(struct unpacking *u, enum cairn_status status,
                                        const char *why)
{
	u->why = why;
	return status;
}

static enum cairn_status reserve_unpacked_byte(struct unpacking *u)
{
	size_t capacity = u->capacity ? u->capacity * 2 : FIRST_CAPACITY;

	if (u->size < u->capacity)
		return CAIRN_OK;
	if (u->size >= u->limit)
		return fail_unpacking(u, CAIRN_UNSUPPORTED,
		                      "too large when decompressed (limit: 32 MiB plus 32 times "
		                      "the compressed size)");
	if (capacity > u->limit)
		capacity = u->limit;
	uint8_t *grown = realloc(u->out, capacity);
	if (!grown)
		return fail_unpacking(u, CAIRN_NO_MEMORY, "out of memory while decompressing");
	u->out = grown;
	u->capacity = capacity;
	return CAIRN_OK;
}

/*
 * Run one step of the decompressor. The input may contain several frames, and must end with a
 * complete one.
 */
static enum cairn_status take_step(struct unpacking *u, const struct unpack_method *method,
                                   void *state)
{
	struct unpack_step step = { .in = { u->in.data + u->at, u->in.size - u->at },
		                    .out = u->out + u->size,
		                    .capacity = u->capacity - u->size };
	enum cairn_status status = method->step(state, &step);

	u->at += step.taken;
	u->size += step.made;
	if (status != CAIRN_OK)
		return fail_unpacking(u, status,
		                      step.why ? step.why : "out of memory while decompressing");
	u->done = step.between && u->at == u->in.size;
	if (step.taken + step.made == 0 && !u->done)
		return fail_unpacking(u, CAIRN_TRUNCATED, "the compressed data is truncated");
	return CAIRN_OK;
}

static enum cairn_status unpack_whole(struct unpacking *u, const struct unpack_method *method)
{
	enum cairn_status status = CAIRN_OK;

	if (method->absent)
		return fail_unpacking(u, CAIRN_UNSUPPORTED, method->absent);
	void *state = method->open();
	if (!state)
		return fail_unpacking(u, CAIRN_NO_MEMORY, "out of memory while decompressing");
	while (!u->done && status == CAIRN_OK) {
		status = reserve_unpacked_byte(u);
		if (status == CAIRN_OK)
			status = take_step(u, method, state);
	}
	method->close(state);
	return status;
}

size_t unpack_file_limit(size_t packed)
{
	const uint64_t allowed = unpack_allowed(packed);

	return allowed < OS_FILE_READ_MAX ? (size_t)allowed : OS_FILE_READ_MAX;
}

enum cairn_status unpack_file(struct os_file *file, size_t limit, struct cairn_fault *fault)
{
	struct unpacking u = { .in = file->bytes, .limit = limit };
	const struct unpack_method *method = unpack_find_method(u.in);

	if (!method)
		return CAIRN_OK;
	enum cairn_status status = unpack_whole(&u, method);
	if (status != CAIRN_OK) {
		free(u.out);
		*fault = (struct cairn_fault){ status, u.at, u.why };
		return status;
	}
	os_file_close(file);
	*file = (struct os_file){ .bytes = { u.out, u.size }, .memory = u.out };
	return CAIRN_OK;
}

/*
 * Compressed sections. They begin with a header (gABI, or the older GNU format):
 *
 *	elf32 = kind:u32 size:u32 align:u32
 *	elf64 = kind:u32 reserved:u32 size:u64 align:u64
 *	gnu   = "ZLIB" size:u64            (big-endian)
 */

#ifdef CAIRN_HAVE_ZLIB
#define ZLIB_CONST /* declare z_stream.next_in as a pointer to const */
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
			reader_fail(in, CAIRN_MALFORMED, "bad magic in a .zdebug section");
		head.size = reader_u64(in);
		break;
	}
	return head;
}

#if defined(CAIRN_HAVE_ZLIB) && defined(CAIRN_HAVE_LIBDEFLATE)
/*
 * The input and output are completely in memory, so use libdeflate, which is twice as fast as zlib.
 * zlib could stop early if only one unit is needed, but it would be slower for lookups of addresses
 * in many units.
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
/*
 * Set the sizes for the next call of inflate(). zlib counts bytes in unsigned int, so a larger
 * section takes several calls.
 */
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

	if (status == CAIRN_OK && head.size > SIZE_MAX)
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

enum cairn_status debuginfo_decompress(struct cairn_bytes file, const char *name, void **memory,
                                       size_t *size)
{
	struct elf_section section;
	struct cairn_fault fault;
	struct elf elf;
	size_t claimed;

	if (elf_open(file, &elf, &fault) != CAIRN_OK)
		return fault.status;
	if (!elf_find_section(&elf, name, &section))
		return CAIRN_NOT_FOUND;
	if (!(section.flags & ELF_SHF_COMPRESSED))
		return CAIRN_MALFORMED;
	const struct cairn_bytes bytes = elf_section_bytes(&elf, &section);
	const enum inflate_kind kind = elf.wide ? INFLATE_ELF64 : INFLATE_ELF32;
	enum cairn_status status = inflate_section_size(bytes, kind, elf.big, &claimed, &fault);
	void *out = status == CAIRN_OK ? malloc(claimed ? claimed : 1) : NULL;
	if (!out)
		return status == CAIRN_OK ? CAIRN_NO_MEMORY : status;
	status = inflate_section_into(bytes, kind, elf.big, out, claimed, &fault);
	if (status != CAIRN_OK) {
		free(out);
		return status;
	}
	*memory = out;
	*size = claimed;
	return CAIRN_OK;
}

#ifdef CAIRN_HAVE_LZMA
#include <lzma.h>
#endif

#ifdef CAIRN_HAVE_LZMA
struct unpacked {
	uint8_t *data;
	size_t capacity, most;
};

static enum cairn_status grow_xz_output(struct unpacked *out, lzma_stream *stream,
                                        struct cairn_fault *fault)
{
	size_t used = out->capacity, capacity = used ? 2 * used : 1 << 16;

	if (used == out->most)
		return fault_set_at(fault, CAIRN_MALFORMED, (size_t)stream->total_in,
		                    "decompresses to more than a symbol table needs");
	if (capacity > out->most)
		capacity = out->most;
	uint8_t *grown = realloc(out->data, capacity);
	if (!grown)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory while decompressing");
	out->data = grown;
	out->capacity = capacity;
	stream->next_out = grown + used;
	stream->avail_out = capacity - used;
	return CAIRN_OK;
}

static enum cairn_status fail_stream(lzma_ret result, size_t offset, struct cairn_fault *fault)
{
	if (result == LZMA_MEM_ERROR)
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory while decompressing");
	if (result == LZMA_MEMLIMIT_ERROR)
		return fault_set_at(fault, CAIRN_UNSUPPORTED, offset,
		                    "the xz dictionary is larger than the limit of 128 MiB");
	if (result == LZMA_OPTIONS_ERROR)
		return fault_set_at(fault, CAIRN_UNSUPPORTED, offset,
		                    "compressed by an unknown method");
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
		return fault_set(fault, CAIRN_NO_MEMORY, "out of memory while decompressing");
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
	return fault_set(fault, CAIRN_UNSUPPORTED,
	                 "cannot be decompressed: cairn was built without liblzma");
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
