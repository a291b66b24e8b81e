/* SPDX-License-Identifier: MIT */
/*
 * Reads the header of a unit (DWARF 5, section 7.5.1):
 *
 *	unit32 = length:u32 rest               (length below 0xfffffff0)
 *	unit64 = 0xffffffff:u32 length:u64 rest
 *	rest   = version:u16 (2 to 4) abbrevs:offset address_size:u8
 *	       | version:u16 (5) type:u8 address_size:u8 abbrevs:offset [id:u64] [type_at:offset]
 *
 * `length` does not include itself.
 */
#include "base/reader.h"
#include "dwarf.h"

static const uint32_t LENGTH_64 = 0xffffffff, LENGTH_RESERVED = 0xfffffff0;

enum {
	VERSION_MIN = 2,
	VERSION_MAX = 5,
};

static void read_id(struct reader *in, struct dwarf_unit *unit)
{
	switch (unit->type) {
	case DWARF_UT_COMPILE:
	case DWARF_UT_PARTIAL:
		break;
	case DWARF_UT_SKELETON:
	case DWARF_UT_SPLIT_COMPILE:
		unit->id = reader_u64(in);
		break;
	case DWARF_UT_TYPE:
	case DWARF_UT_SPLIT_TYPE:
		unit->id = reader_u64(in);
		reader_word(in, unit->offset_size == 8);
		break;
	default: /* from a later version */
		unit->version = 0;
		break;
	}
}

/* Read the fields after the length. Set the version to 0 if the unit is not supported. */
static void read_rest(struct reader *in, struct dwarf_unit *unit)
{
	bool wide = unit->offset_size == 8;

	unit->version = reader_u16(in);
	unit->type = DWARF_UT_COMPILE;
	if (unit->version < VERSION_MIN || unit->version > VERSION_MAX) {
		unit->version = 0;
		return;
	}
	if (unit->version >= 5) {
		unit->type = reader_u8(in);
		unit->address_size = reader_u8(in);
		unit->abbrevs = reader_word(in, wide);
		read_id(in, unit);
	} else {
		unit->abbrevs = reader_word(in, wide);
		unit->address_size = reader_u8(in);
	}
	unit->first = in->at;
	if (unit->address_size != 4 && unit->address_size != 8)
		unit->version = 0;
}

static uint64_t read_length(struct reader *in, struct dwarf_unit *unit)
{
	uint64_t length = reader_u32(in);

	unit->offset_size = 4;
	if (length == LENGTH_64) {
		unit->offset_size = 8;
		length = reader_u64(in);
	} else if (length >= LENGTH_RESERVED) {
		reader_fail(in, CAIRN_UNSUPPORTED, "a unit's length has a reserved value");
	}
	if (reader_ok(in) && length > reader_left(in))
		reader_fail(in, CAIRN_TRUNCATED, "a unit reaches past the end of its section");
	return length;
}

bool dwarf_read_unit(const struct dwarf_sections *sections, uint64_t *at, struct dwarf_unit *unit,
                     struct cairn_fault *fault)
{
	struct reader in = reader_open(sections->info, sections->big);
	struct dwarf_unit next = { .offset = *at };

	if (*at >= sections->info.size)
		return false;
	reader_seek(&in, (size_t)*at);
	uint64_t length = read_length(&in, &next);
	if (reader_ok(&in)) {
		next.end = in.at + length;
		struct cairn_bytes whole = { sections->info.data, (size_t)next.end };
		struct reader inside = reader_open(whole, sections->big);
		reader_seek(&inside, in.at);
		read_rest(&inside, &next);
		/* too short for a header; only this unit is lost */
		if (!reader_ok(&inside))
			next.version = 0;
		*at = next.end;
		*unit = next;
		return true;
	}
	*fault = in.fault;
	return false;
}
