/* SPDX-License-Identifier: MIT */
/*
 * A cursor over borrowed bytes that never reads out of bounds.
 *
 * Failure is sticky: the first failure is recorded with the offset of the item that could not be
 * read. Afterwards every read returns zero, and the cursor does not move. A record can therefore be
 * read without checks and verified once:
 *
 *	struct reader in = reader_open(bytes, false);
 *	uint16_t magic = reader_u16(&in);
 *	uint8_t version = reader_u8(&in);
 *	if (!reader_ok(&in))
 *		return in.fault.status;
 *
 * The reader does not allocate.
 */
#ifndef CAIRN_BASE_READER_H
#define CAIRN_BASE_READER_H

#include <cairn.h>

struct reader {
	struct cairn_bytes in;
	size_t at;
	size_t item;
	bool big; /* byte order of integers; may be changed at any time */
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

/* Record a failure at the item that was read last, unless the reader has already failed. */
void reader_fail(struct reader *r, enum cairn_status status, const char *what);

void reader_fail_at(struct reader *r, size_t offset, enum cairn_status status, const char *what);

/* Move to an offset in the same bytes. The end is a valid offset. */
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

/* Read a word with the width of an ELF class: 8 bytes if `wide`, otherwise 4. */
uint64_t reader_word(struct reader *r, bool wide);

/*
 * Read a ULEB128 number. A value with more than 64 bits is MALFORMED; redundant padding is
 * accepted.
 */
uint64_t reader_uleb(struct reader *r);
int64_t reader_sleb(struct reader *r);

/* Return `size` borrowed bytes. On failure, return an empty range whose data is not NULL. */
struct cairn_bytes reader_bytes(struct reader *r, size_t size);

/* Return a NUL-terminated string without its NUL, which is skipped. */
struct cairn_bytes reader_string(struct reader *r);

/*
 * Return true if at least `count` items of `size` bytes are left. Check this before allocating
 * memory for a count from the input.
 */
static inline bool reader_fits(const struct reader *r, uint64_t count, size_t size)
{
	return size == 0 || count <= reader_left(r) / size;
}

/* Set *out to [offset, offset + size) of `in`. Return false if that range is out of bounds. */
static inline bool bytes_slice(struct cairn_bytes in, uint64_t offset, uint64_t size,
                               struct cairn_bytes *out)
{
	if (offset > in.size || size > in.size - offset)
		return false;
	*out = (struct cairn_bytes){ in.data + offset, (size_t)size };
	return true;
}

#endif
