/* SPDX-License-Identifier: MIT */
/*
 * Reads fixed-width integers, LEB128 numbers and strings within the bounds of a byte range and
 * records the first failure.
 */
#include "reader.h"

#include "bytes.h"

#include <string.h>

enum {
	LEB_BITS = 64,
	LEB_MAX_BYTES = 10 /* 7 bits per byte */
};

static const uint8_t nothing[8];

struct reader reader_open(struct cairn_bytes in, bool big)
{
	return (struct reader){ .in = in, .big = big };
}

void reader_fail_at(struct reader *r, size_t offset, enum cairn_status status, const char *what)
{
	if (reader_ok(r))
		r->fault = (struct cairn_fault){ status, offset, what };
}

void reader_fail(struct reader *r, enum cairn_status status, const char *what)
{
	reader_fail_at(r, r->item, status, what);
}

/*
 * Advance by `size` bytes and return them, or fail and return eight zero bytes. All reads use this
 * function.
 */
static const uint8_t *consume_bytes(struct reader *r, size_t size)
{
	if (!reader_ok(r))
		return nothing;
	r->item = r->at;
	if (size > reader_left(r)) {
		reader_fail(r, CAIRN_TRUNCATED, "the data ends inside a record");
		return nothing;
	}
	r->at += size;
	return r->in.data + r->item;
}

void reader_seek(struct reader *r, size_t offset)
{
	if (!reader_ok(r))
		return;
	r->item = offset;
	if (offset > r->in.size)
		reader_fail(r, CAIRN_TRUNCATED, "an offset points past the end of the data");
	else
		r->at = offset;
}

void reader_skip(struct reader *r, size_t size)
{
	(void)consume_bytes(r, size);
}

uint8_t reader_u8(struct reader *r)
{
	return consume_bytes(r, 1)[0];
}

uint16_t reader_u16(struct reader *r)
{
	return bytes_u16(consume_bytes(r, 2), r->big);
}

uint32_t reader_u32(struct reader *r)
{
	return bytes_u32(consume_bytes(r, 4), r->big);
}

uint64_t reader_u64(struct reader *r)
{
	return bytes_u64(consume_bytes(r, 8), r->big);
}

uint64_t reader_word(struct reader *r, bool wide)
{
	return wide ? reader_u64(r) : reader_u32(r);
}

/*
 * Read a LEB128 number. Return the number of value bits, or 0 on failure. Bits beyond the 64th must
 * be zeros or, if signed, sign bits.
 */
static unsigned read_leb128(struct reader *r, uint64_t *value, bool is_signed)
{
	size_t start = r->at;
	uint64_t sum = 0;

	if (!reader_ok(r))
		return 0;
	for (unsigned i = 0; i < LEB_MAX_BYTES; i++) {
		uint8_t byte = reader_u8(r);
		uint8_t payload = byte & 0x7f;
		unsigned shift = 7 * i;
		bool fits = shift + 7 <= LEB_BITS || payload <= 1 || (is_signed && payload == 0x7f);
		if (!fits || (is_signed && shift + 7 > LEB_BITS && payload == 1))
			break;
		sum |= (uint64_t)payload << shift;
		if (!reader_ok(r)) {
			r->fault.offset = start;
			return 0;
		}
		if (!(byte & 0x80)) {
			r->item = start;
			*value = sum;
			return shift + 7;
		}
	}
	reader_fail_at(r, start, CAIRN_MALFORMED, "a LEB128 number does not fit in 64 bits");
	return 0;
}

uint64_t reader_uleb(struct reader *r)
{
	uint64_t value = 0;
	return read_leb128(r, &value, false) ? value : 0;
}

int64_t reader_sleb(struct reader *r)
{
	uint64_t value = 0;
	unsigned bits = read_leb128(r, &value, true);

	if (bits && bits < LEB_BITS && (value >> (bits - 1) & 1))
		value |= ~(uint64_t)0 << bits;
	return (int64_t)value;
}

struct cairn_bytes reader_bytes(struct reader *r, size_t size)
{
	const uint8_t *data = consume_bytes(r, size);
	return (struct cairn_bytes){ data, reader_ok(r) ? size : 0 };
}

struct cairn_bytes reader_string(struct reader *r)
{
	const uint8_t *start = r->in.data + r->at;
	const uint8_t *end = reader_left(r) ? memchr(start, 0, reader_left(r)) : NULL;
	size_t at = r->at;

	if (!end) {
		reader_skip(r, reader_left(r));
		reader_fail_at(r, at, CAIRN_TRUNCATED, "unterminated string");
		return (struct cairn_bytes){ nothing, 0 };
	}
	struct cairn_bytes text = reader_bytes(r, (size_t)(end - start));
	reader_skip(r, 1);
	r->item = at;
	return text;
}
