/* SPDX-License-Identifier: MIT */
/*
 * Borrowed bytes in: a cursor that never leaves its bytes.
 *
 * Reading is sticky.  The first failure is kept with the offset of the item that failed; from
 * then on everything reads as zero and nothing moves.  So a record is read straight down and
 * asked once:
 *
 *	struct reader in = reader_open(bytes, false);
 *	uint16_t magic = reader_u16(&in);
 *	uint8_t version = reader_u8(&in);
 *	if (!reader_ok(&in))
 *		return in.fault.status;
 *
 * It does not allocate and knows no format.
 */
#ifndef CAIRN_BASE_READER_H
#define CAIRN_BASE_READER_H

#include <cairn.h>

struct reader {
	struct cairn_bytes in;
	size_t at;   /* of the next byte */
	size_t item; /* where the item read last began */
	bool big;    /* byte order, may be changed at any time */
	struct cairn_fault fault;
};

struct reader reader_open(struct cairn_bytes in, bool big);

static inline bool reader_ok(const struct reader *r)
{
	return r->fault.status == CAIRN_OK;
}

static inline size_t reader_left(const struct reader *r)
{
	return r->in.size - r->at;
}

/* Fail at the item read last.  Only the first failure counts. */
void reader_fail(struct reader *r, enum cairn_status status, const char *what);

/* Fail at a given offset. */
void reader_fail_at(struct reader *r, size_t offset, enum cairn_status status, const char *what);

/* Go to an offset of the same bytes; the end itself is allowed. */
void reader_seek(struct reader *r, size_t offset);
void reader_skip(struct reader *r, size_t size);

uint8_t reader_u8(struct reader *r);
uint16_t reader_u16(struct reader *r);
uint32_t reader_u32(struct reader *r);
uint64_t reader_u64(struct reader *r);

static inline int8_t reader_s8(struct reader *r)
{
	return (int8_t)reader_u8(r);
}

static inline int32_t reader_s32(struct reader *r)
{
	return (int32_t)reader_u32(r);
}

/* A word of 4 or 8 bytes, as ELF classes have them. */
uint64_t reader_word(struct reader *r, bool wide);

/* LEB128.  More than 64 bits of value is MALFORMED, however they are padded. */
uint64_t reader_uleb(struct reader *r);
int64_t reader_sleb(struct reader *r);

/* `size` borrowed bytes, or an empty non-NULL range and a failed reader. */
struct cairn_bytes reader_bytes(struct reader *r, size_t size);

/* Text up to its NUL, which is passed over and not counted. */
struct cairn_bytes reader_string(struct reader *r);

/* Could `count` items of `size` bytes follow?  Asked before anything is sized by a count. */
static inline bool reader_fits(const struct reader *r, uint64_t count, size_t size)
{
	return size == 0 || count <= reader_left(r) / size;
}

/* The part [offset, offset + size) of bytes; false when it is not inside. */
static inline bool bytes_slice(struct cairn_bytes in, uint64_t offset, uint64_t size,
                               struct cairn_bytes *out)
{
	if (offset > in.size || size > in.size - offset)
		return false;
	*out = (struct cairn_bytes){ in.data + offset, (size_t)size };
	return true;
}

#endif
