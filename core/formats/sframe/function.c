/* SPDX-License-Identifier: MIT */
/*
 * Reads function records. Version 3 moves the row count and the fields after it from the record to
 * a five-byte attribute in front of the function's rows:
 *
 *	attribute = rows:2 info:1 info2:1 repeat:1
 *	info      = type:4 masked:1 key_b:1 :1 signal:1 (version 3)
 *	info2     = kind:5 :3
 */
#include "sframe.h"

#include "base/bytes.h"

#include "layout.h"

/* Inline regardless of size, so that callers that pass constants get specialized code. */
#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif

enum {
	FIELD_SIZE_V12 = 4,
	FIELD_SIZE_V3 = 8,
	FIELD_ROWS_AT_V12 = 8,
	FIELD_ROWS_AT_V3 = 12,
	FIELD_ROWS_V12 = 12,
	FIELD_INFO_V12 = 16,
	FIELD_REPEAT_V2 = 17,
	ATTRIBUTE_SIZE = 5,
	ATTRIBUTE_INFO = 2,
	ATTRIBUTE_INFO2 = 3,
	ATTRIBUTE_REPEAT = 4,
	ROW_TYPE_MAX = 2,
	INFO_TYPE = 0x0f,
};

static size_t record_at(const struct sframe_table *table, uint32_t index)
{
	return table->records_at + (size_t)index * table->record_size;
}

/*
 * Return the start of function `index`. Version, byte order and base are parameters, although the
 * table contains them, so that the compiler can remove all branches where the caller passes
 * constants.
 */
static ALWAYS_INLINE uint64_t start_of(const struct sframe_table *table, uint32_t index,
                                       uint8_t version, bool big, enum sframe_base base)
{
	size_t at = table->records_at + (size_t)index * sframe_record_size(version);
	const uint8_t *record = table->bytes.data + at;
	uint64_t stored =
		version == 3 ? bytes_u64(record, big) : (uint64_t)(int32_t)bytes_u32(record, big);

	switch (base) {
	case SFRAME_BASE_SECTION:
		return table->address + stored;
	case SFRAME_BASE_FIELD:
		return table->address + at + stored;
	case SFRAME_BASE_GIVEN:
		return table->starts[index];
	}
	return SFRAME_NO_START;
}

void sframe_extent(const struct sframe_table *table, uint32_t index, uint64_t *start,
                   uint32_t *size)
{
	const uint8_t *record = table->bytes.data + record_at(table, index);
	size_t field = table->version == 3 ? FIELD_SIZE_V3 : FIELD_SIZE_V12;

	*start = start_of(table, index, table->version, table->big, table->base);
	*size = bytes_u32(record + field, table->big);
}

static enum cairn_status reject_sframe_fde(const struct sframe_table *table,
                                           struct cairn_fault *fault, enum cairn_status status,
                                           size_t at, const char *what)
{
	*fault = (struct cairn_fault){ status, table->offset + at, what };
	return status;
}

/* Offsets of a function's fields and rows in the table, which depend on the table's version. */
struct fields {
	size_t first_row;
	/* info2 and repeat are 0 if the version does not have them */
	size_t rows, info, info2, repeat;
};

/* Return the offsets for the record at `record`, whose rows_at field contains `rows_at`. */
static struct fields locate_fde_fields(const struct sframe_table *t, size_t record, size_t rows_at)
{
	size_t at = t->rows_at + rows_at;

	if (t->version == 3)
		return (struct fields){ at + ATTRIBUTE_SIZE, at, at + ATTRIBUTE_INFO,
			                at + ATTRIBUTE_INFO2, at + ATTRIBUTE_REPEAT };
	return (struct fields){ at, record + FIELD_ROWS_V12, record + FIELD_INFO_V12, 0,
		                t->version == 2 ? record + FIELD_REPEAT_V2 : 0 };
}

enum cairn_status sframe_function(const struct sframe_table *table, uint32_t index,
                                  struct sframe_function *function, struct cairn_fault *fault)
{
	const uint8_t *data = table->bytes.data;
	const bool v3 = table->version == 3, big = table->big;
	const size_t record = record_at(table, index);
	uint64_t start;
	uint32_t size;

	sframe_extent(table, index, &start, &size);
	if (size > 0 && sframe_is_placed(table, start) && start + (size - 1) < start)
		return reject_sframe_fde(table, fault, CAIRN_MALFORMED, record,
		                         "a function reaches past the end of the address space");
	size_t field = record + (v3 ? FIELD_ROWS_AT_V3 : FIELD_ROWS_AT_V12);
	size_t rows_at = bytes_u32(data + field, big), attribute = v3 ? ATTRIBUTE_SIZE : 0;
	if (rows_at > table->rows_size || attribute > table->rows_size - rows_at)
		return reject_sframe_fde(table, fault, CAIRN_MALFORMED, field,
		                         "rows begin past the end of the table");

	struct fields fields = locate_fde_fields(table, record, rows_at);
	uint8_t info = data[fields.info], kind = fields.info2 ? data[fields.info2] & 0x1f : 0;
	bool masked = info & INFO_MASKED;
	uint8_t repeat = fields.repeat ? data[fields.repeat] : SFRAME_V1_REPEAT;
	if ((info & INFO_TYPE) > ROW_TYPE_MAX)
		return reject_sframe_fde(table, fault, CAIRN_UNSUPPORTED, fields.info,
		                         "unknown row type");
	if (kind > KIND_FLEXIBLE)
		return reject_sframe_fde(table, fault, CAIRN_UNSUPPORTED, fields.info2,
		                         "unknown function type");
	if (masked && repeat == 0)
		return reject_sframe_fde(table, fault, CAIRN_MALFORMED, fields.repeat,
		                         "a repeated block of size 0");

	uint8_t width = (uint8_t)(1 << (info & INFO_TYPE));
	uint32_t rows =
		v3 ? bytes_u16(data + fields.rows, big) : bytes_u32(data + fields.rows, big);
	if ((uint64_t)rows * (width + 1u) > table->bytes.size - fields.first_row)
		return reject_sframe_fde(table, fault, CAIRN_MALFORMED, fields.rows,
		                         "more rows than the table can hold");
	*function = (struct sframe_function){ .start = start,
		                              .size = size,
		                              .rows = rows,
		                              .record = table->offset + record,
		                              .rows_at = fields.first_row,
		                              .width = width,
		                              .repeat = masked ? repeat : 0,
		                              .masked = masked,
		                              .flexible = kind == KIND_FLEXIBLE,
		                              .signal = v3 && info & INFO_SIGNAL,
		                              .key_b = sframe_signs(table) && info & INFO_KEY_B };
	return CAIRN_OK;
}

/*
 * Return the last function that starts at or before `va`, or function 0. Each round loads three
 * starts, which do not depend on each other, and selects a quarter with conditional moves, so that
 * there is no branch to mispredict. Callers pass the last three parameters as constants.
 */
static ALWAYS_INLINE uint32_t bisect_fdes(const struct sframe_table *table, uint64_t va,
                                          uint8_t version, bool big, enum sframe_base base)
{
	uint32_t at = 0, count = table->functions;

	while (count >= 4) {
		uint32_t quarter = count / 4, middle = at + 2 * quarter;
		bool first = start_of(table, at + quarter, version, big, base) <= va;
		bool second = start_of(table, middle, version, big, base) <= va;
		bool third = start_of(table, middle + quarter, version, big, base) <= va;
		uint32_t low = first ? at + quarter : at;
		uint32_t high = third ? middle + quarter : middle;
		at = second ? high : low;
		count -= 3 * quarter;
	}
	for (; count > 1; count--)
		at += start_of(table, at + 1, version, big, base) <= va;
	return at;
}

/*
 * Return the index of the first function that starts before its predecessor, or the number of
 * functions if the table is sorted.
 */
static ALWAYS_INLINE uint32_t find_first_descent(const struct sframe_table *table, uint64_t start,
                                                 uint8_t version, bool big, enum sframe_base base)
{
	uint32_t at = 0;

	for (; at < table->functions; at++) {
		uint64_t next = start_of(table, at, version, big, base);
		if (next < start)
			break;
		start = next;
	}
	return at;
}

/*
 * Call `walk` with constants for the common kinds of table, so that the compiler generates a
 * specialized copy for each.
 */
static ALWAYS_INLINE uint32_t call_by_table_kind(const struct sframe_table *table, uint64_t va,
                                                 uint32_t (*walk)(const struct sframe_table *,
                                                                  uint64_t, uint8_t, bool,
                                                                  enum sframe_base))
{
	bool by_section = !table->big && table->base == SFRAME_BASE_SECTION;
	bool by_field = !table->big && table->base == SFRAME_BASE_FIELD;

	if (by_section && table->version == 1)
		return walk(table, va, 1, false, SFRAME_BASE_SECTION);
	if (by_section && table->version == 2)
		return walk(table, va, 2, false, SFRAME_BASE_SECTION);
	if (by_field && table->version == 2)
		return walk(table, va, 2, false, SFRAME_BASE_FIELD);
	if (by_field && table->version == 3)
		return walk(table, va, 3, false, SFRAME_BASE_FIELD);
	return walk(table, va, table->version, table->big, table->base);
}

bool sframe_is_sorted(const struct sframe_table *table)
{
	return call_by_table_kind(table, 0, find_first_descent) == table->functions;
}

/*
 * Find the function that contains `va`. Functions of size 0 share their start with a real one and
 * may precede or follow it, so skip them.
 */
bool sframe_find(const struct sframe_table *table, uint64_t va, uint32_t *index)
{
	uint64_t start;
	uint32_t size;

	if (table->functions == 0)
		return false;
	*index = call_by_table_kind(table, va, bisect_fdes);
	sframe_extent(table, *index, &start, &size);
	while (size == 0 && *index > 0)
		sframe_extent(table, --*index, &start, &size);
	return start <= va && va - start < size;
}
