/* SPDX-License-Identifier: MIT */
/*
 * Reads .debug_aranges:
 *
 *	set    = length version:u16 unit address_size:u8 segment_size:u8 padding (low size)* 0 0
 *	length = u32, or ffffffff u64; unit has the same size
 *	padding to a multiple of a pair, relative to the start of the set
 */
#include "aranges.h"

#include "base/bytes.h"

enum {
	VERSION = 2,
	HEAD_NARROW = 8, /* bytes of a set's header after its length */
	HEAD_WIDE = 12,
};
static const uint32_t wide_length = UINT32_MAX; /* marks a 64-bit length */

struct dwarf_aranges dwarf_aranges_open(struct cairn_bytes section, bool big)
{
	return (struct dwarf_aranges){ .in = reader_open(section, big) };
}

/*
 * Read the header of the next set. A set in an unsupported form is treated as empty. Return false
 * if there is no further set.
 */
static bool open_set(struct dwarf_aranges *a)
{
	struct reader *in = &a->in;
	const size_t start = in->at;

	if (!reader_ok(in) || reader_left(in) == 0)
		return false;
	uint64_t length = reader_u32(in);
	const bool wide = length == wide_length;
	if (wide)
		length = reader_u64(in);
	if (!reader_ok(in) || length > reader_left(in)) {
		reader_fail(in, CAIRN_TRUNCATED, "a set of addresses is cut off");
		return false;
	}
	a->end = in->at + (size_t)length;
	if (length < (wide ? HEAD_WIDE : HEAD_NARROW)) {
		reader_seek(in, a->end);
		return true;
	}
	const uint16_t version = reader_u16(in);
	a->unit = reader_word(in, wide);
	const uint8_t address = reader_u8(in), segment = reader_u8(in);
	a->wide = address == 8;
	const size_t pair = 2u * address, head = in->at - start;
	if (version != VERSION || segment != 0 || (address != 4 && address != 8))
		reader_seek(in, a->end);
	else
		reader_skip(in, (pair - head % pair) % pair);
	return reader_ok(in);
}

bool dwarf_aranges_next(struct dwarf_aranges *a, struct dwarf_arange *range)
{
	return dwarf_aranges_next_near(a, (struct cairn_range){ 0, UINT64_MAX }, range);
}

/*
 * Skip pairs of 8-byte addresses that do not overlap `near`. Stop at the pair that ends the set, or
 * at `end`. `at` and the result are offsets in the section.
 */
static inline size_t pass_far_pairs(struct cairn_bytes section, size_t at, size_t end,
                                    struct cairn_range near, const bool big)
{
	enum { PAIR = 16 };

	for (; end - at >= PAIR; at += PAIR) {
		const uint64_t low = bytes_u64(section.data + at, big);
		const uint64_t size = bytes_u64(section.data + at + PAIR / 2, big);
		if ((low < near.high && (low >= near.low || size > near.low - low)) ||
		    (low == 0 && size == 0))
			break;
	}
	return at;
}

static void pass_far(struct dwarf_aranges *a, struct cairn_range near)
{
	struct reader *in = &a->in;

	if (a->wide && in->at < a->end)
		in->at = in->big ? pass_far_pairs(in->in, in->at, a->end, near, true)
		                 : pass_far_pairs(in->in, in->at, a->end, near, false);
}

bool dwarf_aranges_next_near(struct dwarf_aranges *a, struct cairn_range near,
                             struct dwarf_arange *range)
{
	struct reader *in = &a->in;

	for (;;) {
		const size_t pair = a->wide ? 16 : 8;
		pass_far(a, near);
		if (in->at > a->end || a->end - in->at < pair) {
			if (a->end > 0)
				reader_seek(in, a->end);
			if (!open_set(a))
				return false;
			continue;
		}
		/* in bounds, because open_set() checked the length of the set */
		const uint8_t *at = in->in.data + in->at;
		const uint64_t low = bytes_unsigned(at, pair / 2, in->big);
		const uint64_t size = bytes_unsigned(at + pair / 2, pair / 2, in->big);
		in->at = low == 0 && size == 0 ? a->end : in->at + pair;
		if (size == 0 || size > UINT64_MAX - low || low >= near.high ||
		    low + size <= near.low)
			continue;
		*range = (struct dwarf_arange){ low, low + size, a->unit };
		return true;
	}
}
