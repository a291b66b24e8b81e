/* SPDX-License-Identifier: MIT */
/*
 * Reads the index of a package file (.dwp), as in DWARF 5, section 7.3.5.3, or the older GNU
 * format:
 *
 *	index   = version columns:u32 units:u32 slots:u32 id:u64[slots] row:u32[slots]
 *	          kind:u32[columns] offset:u32[units][columns] size:u32[units][columns]
 *	version = 2:u32 | 5:u16 0:u16
 *
 * The ids are a hash table of 2^n slots. The low bits of an id are its first slot, and its upper
 * half, made odd, is the distance to the next one. Row numbers start at 1; row 0 is a free slot,
 * which ends a search.
 */
#include "package.h"
#include "base/reader.h"

enum {
	COLUMNS_MAX = 16, /* eight kinds are defined */
	KIND_INFO = 1,
	KIND_ABBREV = 3,
	KIND_STR_OFFSETS = 6,
	KIND_RNGLISTS = 8, /* has another meaning before DWARF 5 */
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
		reader_fail_at(in, 0, CAIRN_UNSUPPORTED, "a package index has an unknown version");
	if (index.columns > COLUMNS_MAX)
		reader_fail_at(in, 4, CAIRN_MALFORMED, "a package index has too many columns");
	if (index.slots & (index.slots - 1))
		reader_fail_at(in, 12, CAIRN_MALFORMED,
		               "the number of slots in a package index is not a power of two");
	if (!reader_fits(in, index.slots, 12))
		reader_fail_at(in, 12, CAIRN_TRUNCATED, "a package index is cut off");
	index.rows_at = index.ids_at + 8 * (size_t)index.slots;
	index.kinds_at = index.rows_at + 4 * (size_t)index.slots;
	return index;
}

/* Seek without a truncation of 64-bit offsets where size_t has 32 bits. */
static void seek_table(struct reader *in, uint64_t at)
{
	if (at <= in->in.size)
		reader_seek(in, (size_t)at);
	else
		reader_fail_at(in, in->in.size, CAIRN_TRUNCATED, "a package index is cut off");
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
 * Return the row of a unit, or 0 if not found. *looked is set to the number of slots read. It
 * limits the search in a damaged table without a free slot.
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
		            "a package index refers to a row past its last row");
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
