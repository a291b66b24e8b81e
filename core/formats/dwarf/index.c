/* SPDX-License-Identifier: MIT */
/*
 * Finds units without reading .debug_info: by address in .debug_aranges, and by id in the index of
 * a package file.
 */
#include "dwarf.h"

#include "base/bytes.h"
#include "base/reader.h"

/*
 * Reads .debug_aranges:
 *
 *	set    = length version:u16 unit address_size:u8 segment_size:u8 padding (low size)* 0 0
 *	length = u32, or ffffffff u64; unit has the same size
 * `padding` aligns the first pair to the size of a pair, relative to the start of the set.
 */

enum {
	VERSION = 2,
	HEAD_NARROW = 8, /* size of a set header without the length field */
	HEAD_WIDE = 12,
};
static const uint32_t wide_length = UINT32_MAX; /* value that announces a 64-bit length */

struct dwarf_aranges dwarf_aranges_open(struct cairn_bytes section, bool big)
{
	return (struct dwarf_aranges){ .in = reader_open(section, big) };
}

/*
 * Read the header of the next set. Treat a set of an unsupported version or address size as empty.
 * Return false if there are no more sets.
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
		reader_fail(in, CAIRN_TRUNCATED, "an address range set is truncated");
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
 * at `end`. Positions are offsets in the section.
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
		/* the pair is within bounds, because open_set() has checked the set's length */
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

/*
 * Reads the index of a package file (.dwp), in the format of DWARF 5, section 7.3.5.3, or the older
 * GNU format:
 *
 *	index   = version columns:u32 units:u32 slots:u32 id:u64[slots] row:u32[slots]
 *	          kind:u32[columns] offset:u32[units][columns] size:u32[units][columns]
 *	version = 2:u32 | 5:u16 0:u16
 *
 * The ids form a hash table with open addressing and 2^n slots. A search starts at the slot given
 * by the low bits of the id, and its step is the upper half of the id, made odd. Row numbers start
 * at 1; row 0 denotes a free slot, which ends a search.
 */

enum {
	COLUMNS_MAX = 16, /* maximum number of columns; DWARF 5 defines eight kinds */
	KIND_INFO = 1,
	KIND_ABBREV = 3,
	KIND_STR_OFFSETS = 6,
	KIND_RNGLISTS = 8, /* DW_SECT_RNGLISTS; 8 is DW_SECT_MACRO in the older GNU format */
};

struct index {
	uint32_t version, columns, units, slots;
	size_t ids_at, rows_at, kinds_at;
};

static struct index read_head(struct reader *in)
{
	struct index index = { .version = reader_u32(in) };

	index.version = in->big && index.version > UINT16_MAX ? index.version >> 16 : index.version;
	index.columns = reader_u32(in);
	index.units = reader_u32(in);
	index.slots = reader_u32(in);
	index.ids_at = in->at;
	if (index.version != 2 && index.version != 5)
		reader_fail_at(in, 0, CAIRN_UNSUPPORTED, "unknown package index version");
	if (index.columns > COLUMNS_MAX)
		reader_fail_at(in, 4, CAIRN_MALFORMED, "a package index has too many columns");
	if (index.slots & (index.slots - 1))
		reader_fail_at(in, 12, CAIRN_MALFORMED,
		               "the number of slots in a package index is not a power of two");
	if (!reader_fits(in, index.slots, 12))
		reader_fail_at(in, 12, CAIRN_TRUNCATED, "a package index is truncated");
	index.rows_at = index.ids_at + 8 * (size_t)index.slots;
	index.kinds_at = index.rows_at + 4 * (size_t)index.slots;
	return index;
}

/* Seek to a 64-bit offset without truncating it to a 32-bit size_t. */
static void seek_table(struct reader *in, uint64_t at)
{
	if (at <= in->in.size)
		reader_seek(in, (size_t)at);
	else
		reader_fail_at(in, in->in.size, CAIRN_TRUNCATED, "a package index is truncated");
}

static uint64_t u64_at(struct reader *in, uint64_t at)
{
	seek_table(in, at);
	return reader_u64(in);
}

static uint32_t u32_at(struct reader *in, uint64_t at)
{
	seek_table(in, at);
	return reader_u32(in);
}

/*
 * Return the row number of a unit, or 0 if it is not found. Set *looked to the number of slots
 * read. The search stops when this number reaches the size of the table, because a damaged table
 * may lack free slots.
 */
static uint32_t find_row(struct reader *in, const struct index *index, uint64_t id,
                         uint32_t *looked)
{
	size_t mask = (size_t)index->slots - 1, at = (size_t)id & mask;
	size_t step = ((size_t)(id >> 32) & mask) | 1;

	for (*looked = 0; *looked < index->slots && reader_ok(in); at = (at + step) & mask) {
		uint32_t row = u32_at(in, index->rows_at + 4 * at);
		++*looked;
		if (row == 0 || u64_at(in, index->ids_at + 8 * at) == id)
			return row;
	}
	return 0;
}

static struct cairn_range *place_of(struct dwarf_package_unit *unit, uint32_t version,
                                    uint32_t kind)
{
	switch (kind) {
	case KIND_INFO:
		return &unit->info;
	case KIND_ABBREV:
		return &unit->abbrev;
	case KIND_STR_OFFSETS:
		return &unit->str_offsets;
	case KIND_RNGLISTS:
		return version == 5 ? &unit->rnglists : NULL;
	default:
		return NULL;
	}
}

enum cairn_status dwarf_find_in_package(struct cairn_bytes bytes, bool big, uint64_t id,
                                        struct dwarf_package_unit *unit, struct cairn_fault *fault)
{
	struct reader in = reader_open(bytes, big);
	struct index index = read_head(&in);
	uint32_t looked = 0, row = find_row(&in, &index, id, &looked);
	uint64_t offsets = index.kinds_at + 4 * (uint64_t)index.columns;
	uint64_t table = 4 * (uint64_t)index.columns;

	*unit = (struct dwarf_package_unit){ .looked = looked };
	if (reader_ok(&in) && row > index.units)
		reader_fail(&in, CAIRN_MALFORMED,
		            "a package index refers to a row past the end of its table");
	for (size_t i = 0; row > 0 && i < index.columns && reader_ok(&in); i++) {
		uint32_t kind = u32_at(&in, index.kinds_at + 4 * i);
		uint32_t low = u32_at(&in, offsets + (row - 1) * table + 4 * i);
		uint32_t size =
			u32_at(&in, offsets + ((uint64_t)index.units + row - 1) * table + 4 * i);
		struct cairn_range *place = place_of(unit, index.version, kind);
		if (place)
			*place = (struct cairn_range){ low, (uint64_t)low + size };
	}
	*fault = in.fault;
	if (reader_ok(&in) && row == 0)
		return CAIRN_NOT_FOUND;
	return in.fault.status;
}
