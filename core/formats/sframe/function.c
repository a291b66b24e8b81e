/* SPDX-License-Identifier: MIT */
/*
 * Function records.  Version 3 keeps what the others have behind the row count in five bytes in
 * front of the function's rows:
 *
 *	attribute = rows:2 info:1 info2:1 repeat:1
 *	info      = type:4 masked:1 key_b:1 :1 signal:1 (version 3)
 *	info2     = kind:5 :3
 */
#include "sframe.h"

#include "base/bytes.h"
#include "base/reader.h"

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
	KIND_FLEXIBLE = 1,
	ROW_TYPE_MAX = 2,
};

static size_t record_at(const struct sframe_table *table, uint32_t index)
{
	return table->records_at + (size_t)index * table->record_size;
}

void sframe_extent(const struct sframe_table *table, uint32_t index, uint64_t *start,
                   uint32_t *size)
{
	size_t at = record_at(table, index);
	const uint8_t *record = table->bytes.data + at;
	bool wide = table->version == 3;
	uint64_t stored = wide ? bytes_u64(record, table->big)
	                       : (uint64_t)(int32_t)bytes_u32(record, table->big);

	*size = bytes_u32(record + (wide ? FIELD_SIZE_V3 : FIELD_SIZE_V12), table->big);
	switch (table->base) {
	case SFRAME_BASE_SECTION:
		*start = table->address + stored;
		break;
	case SFRAME_BASE_FIELD:
		*start = table->address + at + stored;
		break;
	case SFRAME_BASE_GIVEN:
		*start = table->starts[index];
		break;
	}
}

/* A check that failed, at an offset of the table. */
static enum cairn_status refuse(const struct sframe_table *table, struct cairn_fault *fault,
                                enum cairn_status status, size_t at, const char *what)
{
	*fault = (struct cairn_fault){ status, table->offset + at, what };
	return status;
}

/* What is told apart by version: where each field lies in the table. */
struct fields {
	size_t rows, info, info2, repeat; /* 0: not there */
};

/* The first row, and the fields' places.  rows_at is checked here. */
static enum cairn_status locate(const struct sframe_table *t, size_t record,
                                struct sframe_function *f, struct fields *fields,
                                struct cairn_fault *fault)
{
	size_t field = record + (t->version == 3 ? FIELD_ROWS_AT_V3 : FIELD_ROWS_AT_V12);
	size_t rows = bytes_u32(t->bytes.data + field, t->big);
	size_t attribute = t->version == 3 ? ATTRIBUTE_SIZE : 0;

	if (rows > t->rows_size || attribute > t->rows_size - rows)
		return refuse(t, fault, CAIRN_MALFORMED, field,
		              "rows begin behind the table's end");
	f->rows_at = t->rows_at + rows + attribute;
	if (t->version == 3) {
		size_t at = t->rows_at + rows;
		*fields = (struct fields){ at, at + ATTRIBUTE_INFO, at + ATTRIBUTE_INFO2,
			                   at + ATTRIBUTE_REPEAT };
	} else {
		*fields = (struct fields){ record + FIELD_ROWS_V12, record + FIELD_INFO_V12, 0,
			                   t->version == 2 ? record + FIELD_REPEAT_V2 : 0 };
	}
	return CAIRN_OK;
}

static enum cairn_status read_kind(const struct sframe_table *t, const struct fields *fields,
                                   struct sframe_function *f, struct cairn_fault *fault)
{
	const uint8_t *data = t->bytes.data;
	uint8_t info = data[fields->info];
	uint8_t kind = fields->info2 ? data[fields->info2] & 0x1f : 0;

	if ((info & 0xf) > ROW_TYPE_MAX)
		return refuse(t, fault, CAIRN_UNSUPPORTED, fields->info, "unknown row type");
	if (kind > KIND_FLEXIBLE)
		return refuse(t, fault, CAIRN_UNSUPPORTED, fields->info2, "unknown function type");
	f->width = (uint8_t)(1 << (info & 0xf));
	f->masked = info >> 4 & 1;
	f->key_b = info >> 5 & 1;
	f->signal = t->version == 3 && info >> 7;
	f->flexible = kind == KIND_FLEXIBLE;
	if (f->masked)
		f->repeat = fields->repeat ? data[fields->repeat] : SFRAME_V1_REPEAT;
	if (f->masked && f->repeat == 0)
		return refuse(t, fault, CAIRN_MALFORMED, fields->repeat,
		              "a repeated block of size 0");
	return CAIRN_OK;
}

enum cairn_status sframe_function(const struct sframe_table *table, uint32_t index,
                                  struct sframe_function *function, struct cairn_fault *fault)
{
	size_t record = record_at(table, index);
	struct sframe_function f = { .record = table->offset + record };
	struct fields fields;

	sframe_extent(table, index, &f.start, &f.size);
	if (f.size > 0 && sframe_is_placed(table, f.start) && f.start + (f.size - 1) < f.start)
		return refuse(table, fault, CAIRN_MALFORMED, record,
		              "a function reaches past the end of the address space");
	enum cairn_status status = locate(table, record, &f, &fields, fault);
	if (status == CAIRN_OK)
		status = read_kind(table, &fields, &f, fault);
	if (status != CAIRN_OK)
		return status;

	const uint8_t *count = table->bytes.data + fields.rows;
	f.rows = table->version == 3 ? bytes_u16(count, table->big) : bytes_u32(count, table->big);
	if ((uint64_t)f.rows * (f.width + 1u) > table->bytes.size - f.rows_at)
		return refuse(table, fault, CAIRN_MALFORMED, fields.rows,
		              "more rows than there is room for");
	*function = f;
	return CAIRN_OK;
}

/* The last function that starts at or before `va`; table->functions when there is none. */
static uint32_t last_before(const struct sframe_table *table, uint64_t va)
{
	uint32_t base = 0, count = table->functions;
	uint64_t start;
	uint32_t size;

	while (count > 1) {
		uint32_t half = count / 2;
		sframe_extent(table, base + half, &start, &size);
		base = start <= va ? base + half : base;
		count -= half;
	}
	if (table->functions == 0)
		return 0;
	sframe_extent(table, base, &start, &size);
	return start <= va ? base : table->functions;
}

/* Empty functions share their start with the real one, on either side of it: step over them. */
bool sframe_find(const struct sframe_table *table, uint64_t va, uint32_t *index)
{
	uint32_t at = last_before(table, va);
	uint64_t start;
	uint32_t size = 0;

	if (at == table->functions)
		return false;
	sframe_extent(table, at, &start, &size);
	while (size == 0 && at > 0)
		sframe_extent(table, --at, &start, &size);
	*index = at;
	return va - start < size;
}
