/* SPDX-License-Identifier: MIT */
/*
 * Reads the parts of a minidump that records refer to, and strings, which are preceded by their
 * length:
 *
 *	text = bytes:4 utf16:bytes 0:2
 */
#include "part.h"

#include "base/bytes.h"
#include "base/utf8.h"

enum {
	SURROGATES_BEGIN = 0xd800, /* high surrogates start here, low surrogates follow them */
	SURROGATES = 0x400,
	REPLACEMENT = 0xfffd,
};

struct minidump_part minidump_part_at(const struct minidump *dump, uint64_t offset, uint64_t size)
{
	struct cairn_bytes all = dump->bytes;
	struct minidump_part part = { offset, { all.data, 0 }, size > 0 };

	if (offset > all.size)
		return part;
	part.bytes.data += offset;
	part.cut = size > all.size - offset;
	part.bytes.size = part.cut ? all.size - (size_t)offset : (size_t)size;
	return part;
}

struct minidump_part minidump_read_part(const struct minidump *dump, struct reader *in)
{
	uint32_t size = reader_u32(in);
	uint32_t offset = reader_u32(in);

	return minidump_part_at(dump, offset, size);
}

struct reader minidump_open_part(const struct minidump *dump, const struct minidump_part *part)
{
	size_t end = part->bytes.size ? (size_t)part->offset + part->bytes.size : 0;
	struct reader in = reader_open((struct cairn_bytes){ dump->bytes.data, end }, dump->big);

	reader_seek(&in, part->bytes.size ? (size_t)part->offset : 0);
	return in;
}

struct minidump_part minidump_text(const struct minidump *dump, uint64_t offset)
{
	struct minidump_part head = minidump_part_at(dump, offset, 4);

	if (offset == 0 || head.cut)
		return minidump_part_at(dump, 0, 0);
	return minidump_part_at(dump, offset + 4, bytes_u32(head.bytes.data, dump->big));
}

/*
 * Return the character that starts with `unit`. Consume the next unit if it belongs to a surrogate
 * pair.
 */
static uint32_t join_surrogates(struct reader *in, uint32_t unit)
{
	struct reader ahead = *in;

	if (unit - SURROGATES_BEGIN >= 2 * SURROGATES)
		return unit;
	if (unit - SURROGATES_BEGIN >= SURROGATES || reader_left(in) < 2)
		return REPLACEMENT;
	uint32_t low = reader_u16(&ahead) - (uint32_t)(SURROGATES_BEGIN + SURROGATES);
	if (low >= SURROGATES)
		return REPLACEMENT;
	*in = ahead;
	return 0x10000 + ((unit - SURROGATES_BEGIN) << 10) + low;
}

void minidump_put_text(const struct minidump *dump, const struct minidump_part *text,
                       struct sink *out)
{
	struct reader in = reader_open(text->bytes, dump->big);
	uint8_t character[4];

	while (reader_left(&in) >= 2) {
		uint32_t unit = reader_u16(&in);
		if (unit == 0)
			return;
		sink_bytes(out, character, utf8_encode(join_surrogates(&in, unit), character));
	}
}
