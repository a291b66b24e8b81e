/* SPDX-License-Identifier: MIT */
/*
 * Reads function records and the two block types that are lists:
 *
 *	record = size:4 name:strp block* end-block
 *	block  = type:4 length:4 byte[length]         type 0 with length 0 is the end
 *	merged = count:4 (length:4 record)*count
 *	calls  = count:4 (return_offset:8 flags:1 names:4 strp*names)*count
 *
 * Merged functions have the same start as the record that contains them. A block of unknown type is
 * skipped by its length.
 */
#include "gsym.h"

#include "base/bytes.h"
#include "base/fault.h"

enum { SIZE_FIELD = 4, INFO_WIDTH_V1 = 4, INFO_WIDTH_V2 = 8 };

size_t gsym_info_at(const struct gsym *gsym, uint32_t index)
{
	size_t width = gsym->version == 1 ? INFO_WIDTH_V1 : INFO_WIDTH_V2;
	return gsym->infos_at + (size_t)index * width;
}

uint64_t gsym_info(const struct gsym *gsym, uint32_t index)
{
	size_t width = gsym->version == 1 ? INFO_WIDTH_V1 : INFO_WIDTH_V2;
	return bytes_unsigned(gsym->bytes.data + gsym_info_at(gsym, index), width, gsym->big);
}

/* Read the size and name of the record at f->at, which must end at or before f->end. */
static enum cairn_status read_head(const struct gsym *gsym, struct gsym_function *f,
                                   struct cairn_fault *fault)
{
	const uint8_t *record = gsym->bytes.data + f->at;
	size_t width = gsym_strp_size(gsym);

	if (f->end - f->at < SIZE_FIELD + width) {
		return fault_set_at(fault, CAIRN_TRUNCATED, f->at,
		                    "a function's record is cut off");
	}
	f->size = bytes_u32(record, gsym->big);
	f->name = bytes_unsigned(record + SIZE_FIELD, width, gsym->big);
	f->blocks = f->at + SIZE_FIELD + width;
	if (f->name != 0)
		return CAIRN_OK;
	return fault_set_at(fault, CAIRN_MALFORMED, f->at + SIZE_FIELD,
	                    "a function without a name");
}

enum cairn_status gsym_function(const struct gsym *gsym, uint32_t index,
                                struct gsym_function *function, struct cairn_fault *fault)
{
	size_t info_at = gsym_info_at(gsym, index);
	uint64_t info = gsym_info(gsym, index);
	struct gsym_function f = { .start = gsym->base + gsym_offset(gsym, index),
		                   .index = index,
		                   .end = gsym->records_at + gsym->records_size };

	if (info >= gsym->records_size) {
		return fault_set_at(fault, CAIRN_MALFORMED, info_at,
		                    "a record's offset lies outside the file");
	}
	f.at = gsym->records_at + (size_t)info;
	enum cairn_status status = read_head(gsym, &f, fault);
	if (status == CAIRN_OK)
		*function = f;
	return status;
}

/* Return a reader over [from, to) whose offsets are file offsets. */
static struct reader open_part_reader(const struct gsym *gsym, size_t from, size_t to)
{
	struct reader in = reader_open((struct cairn_bytes){ gsym->bytes.data, to }, gsym->big);

	reader_seek(&in, from);
	return in;
}

struct gsym_blocks gsym_blocks(const struct gsym *gsym, const struct gsym_function *function)
{
	return (struct gsym_blocks){ .in = open_part_reader(gsym, function->blocks,
		                                            function->end) };
}

bool gsym_next_block(struct gsym_blocks *blocks, struct gsym_block *block)
{
	struct reader *in = &blocks->in;
	struct gsym_block b = { .at = in->at };

	if (blocks->done)
		return false;
	b.type = reader_u32(in);
	uint32_t length = reader_u32(in);
	if (length > reader_left(in))
		reader_fail(in, CAIRN_TRUNCATED, "a block extends past the end of its record");
	b.data = reader_bytes(in, length);
	blocks->done = !reader_ok(in) || b.type == GSYM_END;
	if (blocks->done)
		return false;
	*block = b;
	return true;
}

static struct reader open_block_reader(const struct gsym *gsym, const struct gsym_block *block)
{
	return open_part_reader(gsym, block->at + 8, block->at + 8 + block->data.size);
}

struct gsym_merged gsym_merged(const struct gsym *gsym, const struct gsym_function *owner,
                               const struct gsym_block *merged)
{
	struct gsym_merged m = { .gsym = gsym,
		                 .in = open_block_reader(gsym, merged),
		                 .start = owner->start,
		                 .index = owner->index };

	m.left = m.count = reader_u32(&m.in);
	return m;
}

bool gsym_next_merged(struct gsym_merged *merged, struct gsym_function *function)
{
	struct reader *in = &merged->in;
	struct cairn_fault fault;

	if (merged->left == 0)
		return false;
	merged->left--;
	uint32_t length = reader_u32(in);
	if (length > reader_left(in))
		reader_fail(in, CAIRN_TRUNCATED,
		            "a merged function extends past the end of its block");
	struct gsym_function f = { .start = merged->start,
		                   .index = merged->index,
		                   .at = in->at,
		                   .end = in->at + length,
		                   .is_merged = true };
	reader_skip(in, length);
	if (reader_ok(in) && read_head(merged->gsym, &f, &fault) != CAIRN_OK)
		reader_fail_at(in, (size_t)fault.offset, fault.status, fault.what);
	if (!reader_ok(in))
		return false;
	*function = f;
	return true;
}

struct gsym_calls gsym_calls(const struct gsym *gsym, const struct gsym_block *calls)
{
	struct gsym_calls c = { .gsym = gsym, .in = open_block_reader(gsym, calls) };

	c.left = c.count = reader_u32(&c.in);
	return c;
}

bool gsym_next_call(struct gsym_calls *calls, struct gsym_call *call)
{
	struct reader *in = &calls->in;
	unsigned width = gsym_strp_size(calls->gsym);

	if (calls->left == 0)
		return false;
	calls->left--;
	struct gsym_call c = { .return_offset = reader_u64(in) };
	c.flags = reader_u8(in);
	c.names = reader_u32(in);
	if (!reader_fits(in, c.names, width))
		reader_fail(in, CAIRN_TRUNCATED, "more names than the record can hold");
	c.names_at = in->at;
	reader_skip(in, (size_t)c.names * width);
	if (!reader_ok(in))
		return false;
	*call = c;
	return true;
}

uint64_t gsym_call_name(const struct gsym *gsym, const struct gsym_call *call, uint32_t index)
{
	size_t width = gsym_strp_size(gsym);
	return bytes_unsigned(gsym->bytes.data + call->names_at + index * width, width, gsym->big);
}
