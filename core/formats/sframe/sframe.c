/* SPDX-License-Identifier: MIT */
/*
 * Reads the section, its tables and their headers:
 *
 *	section = (table pad8)*
 *	table   = magic:2 version:1 flags:1 abi:1 fixed_fp:1 fixed_ra:1 aux:1 functions:4 rows:4
 *	          rows_size:4 records_at:4 rows_at:4 aux_header:byte[aux] ... record* ... row*
 *	record  = start:4 size:4 rows_at:4 rows:4 info:1                      version 1, 17 bytes
 *	        | the same, repeat:1 pad:2                                    version 2, 20 bytes
 *	        | start:8 size:4 rows_at:4                                    version 3, 16 bytes
 *
 * records_at and rows_at are relative to the end of the auxiliary header.  Everything is in the
 * target's byte order, which the magic shows, and nothing is aligned.
 */
#include "sframe.h"

#include "base/bytes.h"
#include "base/fault.h"
#include "base/reader.h"

enum {
	MAGIC = 0xdee2,
	MAGIC_SWAPPED = 0xe2de,
	TABLE_ALIGNMENT = 8,
	ABI_AARCH64_BIG = 1,
	ABI_AARCH64_LITTLE = 2,
	ABI_AMD64 = 3,
	ABI_S390X = 4,
	BASE_SAMPLE = 256, /* number of functions that are sampled to determine the base */
};

static uint8_t allowed_flags(uint8_t version)
{
	if (version == 1)
		return SFRAME_FLAG_SORTED | SFRAME_FLAG_FRAME_POINTER;
	if (version == 2)
		return SFRAME_FLAG_SORTED | SFRAME_FLAG_FRAME_POINTER | SFRAME_FLAG_FIELD_RELATIVE;
	return SFRAME_FLAG_SORTED | SFRAME_FLAG_FIELD_RELATIVE;
}

static enum cairn_machine machine_of(uint8_t abi)
{
	switch (abi) {
	case ABI_AARCH64_BIG:
	case ABI_AARCH64_LITTLE:
		return CAIRN_MACHINE_AARCH64;
	case ABI_AMD64:
		return CAIRN_MACHINE_AMD64;
	case ABI_S390X:
		return CAIRN_MACHINE_S390X;
	default:
		return CAIRN_MACHINE_NONE;
	}
}

/* Read the four bytes that are the same in all versions, and the machine. */
static void read_preamble(struct reader *in, struct sframe_table *t)
{
	uint16_t magic = reader_u16(in);
	if (magic != MAGIC && magic != MAGIC_SWAPPED)
		reader_fail(in, CAIRN_MALFORMED, "the SFrame magic is missing");
	t->big = in->big = magic == MAGIC_SWAPPED;
	t->version = reader_u8(in);
	if (t->version < 1 || t->version > 3)
		reader_fail(in, CAIRN_UNSUPPORTED, "unknown SFrame version");
	t->flags = reader_u8(in);
	if (t->flags & ~allowed_flags(t->version))
		reader_fail(in, CAIRN_UNSUPPORTED, "unknown SFrame flag");
	t->abi = reader_u8(in);
	t->machine = machine_of(t->abi);
	if (t->machine == CAIRN_MACHINE_NONE || (t->abi == ABI_S390X && t->version == 1))
		reader_fail(in, CAIRN_UNSUPPORTED, "unknown machine");
	bool is_big = t->abi == ABI_AARCH64_BIG || t->abi == ABI_S390X;
	if (is_big != t->big)
		reader_fail(in, CAIRN_MALFORMED, "the byte order does not match the machine");
}

/* Read the layout of records and rows, and check it against the available bytes. */
static void read_layout(struct reader *in, struct sframe_table *t)
{
	t->functions = reader_u32(in);
	t->claimed_rows = reader_u32(in);
	uint32_t rows_size = reader_u32(in);
	uint32_t records_at = reader_u32(in);
	uint32_t rows_at = reader_u32(in);
	reader_skip(in, t->aux_size);

	/* end of both headers, from which the two offsets count */
	size_t end = in->at;
	t->record_size = sframe_record_size(t->version);
	t->records_at = end + records_at;
	t->rows_at = end + rows_at;
	t->rows_size = rows_size;
	if (records_at > rows_at)
		reader_fail_at(in, 20, CAIRN_MALFORMED, "functions begin after the rows");
	else if ((uint64_t)t->functions * t->record_size > rows_at - records_at)
		reader_fail_at(in, 8, CAIRN_MALFORMED, "more functions than the table can hold");
	if (rows_at > reader_left(in))
		reader_fail_at(in, 24, CAIRN_TRUNCATED, "rows begin past the end of the section");
	else if (rows_size > reader_left(in) - rows_at)
		reader_fail_at(in, 16, CAIRN_TRUNCATED, "rows extend past the end of the section");
}

/*
 * Return the base that applies to the table's starts. Without flag 4, starts in versions 1 and 2
 * are relative to the section. However, an unsorted table in a linked file comes from a linker that
 * only applied relocations, and those make the starts relative to their own field.
 */
static enum sframe_base base_of(const struct sframe_table *t)
{
	if (t->flags & SFRAME_FLAG_FIELD_RELATIVE)
		return SFRAME_BASE_FIELD;
	if (t->version < 3 && !(t->flags & SFRAME_FLAG_SORTED))
		return SFRAME_BASE_FIELD;
	return SFRAME_BASE_SECTION;
}

static enum cairn_status open_table(struct cairn_bytes bytes, struct sframe_table *table,
                                    struct cairn_fault *fault)
{
	struct reader in = reader_open(bytes, false);
	struct sframe_table t = { .bytes = bytes };

	read_preamble(&in, &t);
	t.fixed_fp = reader_s8(&in);
	t.fixed_ra = reader_s8(&in);
	t.aux_size = reader_u8(&in);
	read_layout(&in, &t);
	if (!reader_ok(&in)) {
		*fault = in.fault;
		return in.fault.status;
	}
	t.bytes.size = t.rows_at + t.rows_size;
	t.base = base_of(&t);
	*table = t;
	return CAIRN_OK;
}

/*
 * Return true if another table starts at `at`. After the first table, bytes without a magic are
 * padding.
 */
static bool has_table_at(struct cairn_bytes section, size_t at)
{
	if (at == 0)
		return section.size > 0;
	if (at > section.size || section.size - at < SFRAME_HEADER)
		return false;
	uint16_t magic = bytes_u16(section.data + at, false);
	return magic == MAGIC || magic == MAGIC_SWAPPED;
}

enum cairn_status sframe_next_table(struct cairn_bytes section, uint64_t address, size_t *at,
                                    struct sframe_table *table, struct cairn_fault *fault)
{
	if (!has_table_at(section, *at)) {
		return fault_set_at(fault, CAIRN_NOT_FOUND, *at, "no SFrame table");
	}

	struct cairn_bytes rest = { section.data + *at, section.size - *at };
	enum cairn_status status = open_table(rest, table, fault);
	if (status != CAIRN_OK) {
		fault->offset += *at;
		*at = section.size;
		return status;
	}
	table->offset = *at;
	table->address = address + *at;
	size_t end = *at + table->bytes.size;
	*at = end + (TABLE_ALIGNMENT - end % TABLE_ALIGNMENT) % TABLE_ALIGNMENT;
	return CAIRN_OK;
}

static uint32_t functions_inside(const struct sframe_table *table, uint32_t sample, uint64_t low,
                                 uint64_t high)
{
	uint32_t inside = 0, size;
	uint64_t start;

	for (uint32_t i = 0; i < sample; i++) {
		sframe_extent(table, i, &start, &size);
		inside += start - low < high - low;
	}
	return inside;
}

bool sframe_correct_base(struct sframe_table *table, uint64_t low, uint64_t high)
{
	uint32_t sample = table->functions < BASE_SAMPLE ? table->functions : BASE_SAMPLE;
	struct sframe_table other = *table;

	if (table->base == SFRAME_BASE_GIVEN || sample == 0 ||
	    functions_inside(table, sample, low, high) > 0)
		return false;
	other.base = table->base == SFRAME_BASE_FIELD ? SFRAME_BASE_SECTION : SFRAME_BASE_FIELD;
	if (functions_inside(&other, sample, low, high) < sample)
		return false;
	*table = other;
	return true;
}
