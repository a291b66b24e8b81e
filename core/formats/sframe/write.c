/* SPDX-License-Identifier: MIT */
/* Writes headers, function records and the data of functions. See function.c for the grammar. */
#include "write.h"

#include "base/invariant.h"

#include "layout.h"
#include "sframe.h"
#include "write_row.h"

enum {
	MAGIC = 0xdee2,
	ABI_AARCH64_BIG = 1,
	ABI_AARCH64_LITTLE = 2,
	ABI_AMD64 = 3,
	ABI_S390X = 4,
	AMD64_FIXED_RA = 0xf8, /* CFA - 8 */
};

/*
 * Return the code for the size of row starts: 0, 1 or 2 for 1, 2 or 4 bytes. The last row has the
 * largest start.
 */
static unsigned choose_row_type(const struct sframe_written_function *function)
{
	const uint32_t last = function->rows ? function->row[function->rows - 1].start : 0;

	return last <= UINT8_MAX ? 0 : last <= UINT16_MAX ? 1 : 2;
}

bool sframe_write_needs_flexible(const struct sframe_format *format,
                                 const struct sframe_written_function *function)
{
	for (uint32_t i = 0; i < function->rows; i++)
		if (!sframe_row_is_default(format, &function->row[i]))
			return true;
	return false;
}

void sframe_write_function(struct sink *out, const struct sframe_format *format,
                           const struct sframe_written_function *function,
                           struct sframe_record *record)
{
	const bool flexible = sframe_write_needs_flexible(format, function);
	const unsigned type = choose_row_type(function);

	INVARIANT(function->rows > 0 || format->version == 3);
	INVARIANT(function->rows <= SFRAME_WRITE_ROWS_MAX);
	INVARIANT(!flexible || format->version == 3);
	record->start = function->start;
	record->size = function->size;
	record->rows = function->rows;
	record->repeat = function->repeat;
	record->info = (uint8_t)(type | (function->repeat ? INFO_MASKED : 0) |
	                         (function->key_b ? INFO_KEY_B : 0) |
	                         (function->signal ? INFO_SIGNAL : 0));
	if (format->version == 3) {
		sframe_write_number(out, function->rows, 2, format->big);
		sink_u8(out, record->info);
		sink_u8(out, flexible ? KIND_FLEXIBLE : KIND_DEFAULT);
		sink_u8(out, record->repeat);
	}
	for (uint32_t i = 0; i < function->rows; i++)
		sframe_write_row(out, format, flexible, 1u << type, &function->row[i]);
}

static uint8_t find_abi(const struct sframe_format *format)
{
	if (format->machine == CAIRN_MACHINE_AMD64)
		return ABI_AMD64;
	if (format->machine == CAIRN_MACHINE_S390X)
		return ABI_S390X;
	return format->big ? ABI_AARCH64_BIG : ABI_AARCH64_LITTLE;
}

void sframe_write_header(struct sink *out, const struct sframe_format *format,
                         const struct sframe_totals *totals)
{
	const uint32_t records = totals->functions * sframe_record_size(format->version);
	const bool from_field = format->version == 3 || !format->by_section;

	sframe_write_number(out, MAGIC, 2, format->big);
	sink_u8(out, format->version);
	sink_u8(out, SFRAME_FLAG_SORTED | (from_field ? SFRAME_FLAG_FIELD_RELATIVE : 0));
	sink_u8(out, find_abi(format));
	sink_u8(out, 0); /* no fixed FP offset */
	sink_u8(out, format->machine == CAIRN_MACHINE_AMD64 ? AMD64_FIXED_RA : 0);
	sink_u8(out, 0); /* no auxiliary header */
	sframe_write_number(out, totals->functions, 4, format->big);
	sframe_write_number(out, totals->rows, 4, format->big);
	sframe_write_number(out, totals->data, 4, format->big);
	sframe_write_number(out, 0, 4, format->big);
	sframe_write_number(out, records, 4, format->big);
}

bool sframe_write_record(struct sink *out, const struct sframe_format *format, uint64_t from,
                         const struct sframe_record *record)
{
	const uint64_t distance = record->start - from;
	const bool is_wide = format->version == 3;

	if (!is_wide && (uint64_t)(int64_t)(int32_t)distance != distance)
		return false;
	sframe_write_number(out, distance, is_wide ? 8 : 4, format->big);
	sframe_write_number(out, record->size, 4, format->big);
	sframe_write_number(out, record->rows_at, 4, format->big);
	if (!is_wide) {
		sframe_write_number(out, record->rows, 4, format->big);
		sink_u8(out, record->info);
		sink_u8(out, record->repeat);
		sframe_write_number(out, 0, 2, format->big);
	}
	return true;
}
