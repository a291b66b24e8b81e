/* SPDX-License-Identifier: MIT */
/*
 * Reads a RangeV1:
 *
 *	1  sint64  address, relative      5  uint32     line of the call
 *	12 uint64  address                6  string     file of the call; or 11 uint32
 *	2  uint64  length                 7  uint32     depth
 *	3  string  function; or 9 uint32  8  LineTable  { 1 offsets, 2 lines, both repeated uint32 }
 *	4  string  file; or 10 uint32
 *
 * Fields may occur in any order. A repeated field replaces the earlier one, except that line tables
 * are concatenated. This is the general decoder; range_fast_path.c decodes nearly all records.
 */
#include "range_keys.h"
#include "record.h"

#include "base/utf8.h"

enum {
	LAST_FIELD = 12,
	COLUMN_FIELDS = 2,
};

struct counts {
	uint32_t offsets, lines;
};

static bool read_u32(const uint8_t **at, const uint8_t *end, uint32_t *value)
{
	uint64_t wide;

	if (!wire_varint(at, end, &wide))
		return false;
	*value = (uint32_t)wide;
	return true;
}

static enum symbfile_code read_text(const uint8_t **at, const uint8_t *end,
                                    struct symbfile_text *text)
{
	struct cairn_bytes bytes;

	if (!wire_bytes(at, end, &bytes))
		return SYMBFILE_BAD_PROTOBUF;
	if (!utf8_is_valid(bytes))
		return SYMBFILE_BAD_UTF8;
	*text = (struct symbfile_text){ bytes.data, (uint32_t)bytes.size, SYMBFILE_INLINE };
	return SYMBFILE_VALID;
}

static enum symbfile_code read_ref(const uint8_t **at, const uint8_t *end,
                                   struct symbfile_text *text)
{
	uint32_t index;

	if (!read_u32(at, end, &index))
		return SYMBFILE_BAD_PROTOBUF;
	*text = (struct symbfile_text){ NULL, index, SYMBFILE_REF };
	return SYMBFILE_VALID;
}

static bool read_line_table_columns(struct cairn_bytes message, struct symbfile_columns *lines,
                                    struct counts *counts)
{
	const uint8_t *at = message.data, *end = at + message.size;
	uint32_t number;
	enum wire_type type;

	while (at < end) {
		if (!wire_key(&at, end, &number, &type))
			return false;
		if (number > COLUMN_FIELDS) {
			if (!wire_skip(&at, end, number, type))
				return false;
			continue;
		}
		if (type != WIRE_BYTES && type != WIRE_VARINT)
			return false;
		if (!symbfile_read_column(&at, end, type == WIRE_BYTES, lines, number - 1,
		                          number == 1 ? &counts->offsets : &counts->lines))
			return false;
	}
	return true;
}

static enum symbfile_code read_address(const uint8_t **at, const uint8_t *end,
                                       struct symbfile_range *range, enum symbfile_base *base,
                                       bool absolute)
{
	uint64_t value;

	if (!wire_varint(at, end, &value))
		return SYMBFILE_BAD_PROTOBUF;
	range->start = absolute ? value : wire_zigzag(value);
	*base = absolute ? SYMBFILE_ABSOLUTE : SYMBFILE_RELATIVE;
	return SYMBFILE_VALID;
}

static enum symbfile_code sound_if(bool is_sound)
{
	return is_sound ? SYMBFILE_VALID : SYMBFILE_BAD_PROTOBUF;
}

/* Read a field. `at` is after its key. */
static enum symbfile_code read_field(const uint8_t **at, const uint8_t *end, uint32_t key,
                                     struct symbfile_range *range, enum symbfile_base *base)
{
	switch (key) {
	case KEY_DELTA:
	case KEY_ADDRESS:
		return read_address(at, end, range, base, key == KEY_ADDRESS);
	case KEY_LENGTH:
		return sound_if(wire_varint(at, end, &range->length));
	case KEY_FUNCTION:
		return read_text(at, end, &range->function);
	case KEY_FUNCTION_REF:
		return read_ref(at, end, &range->function);
	case KEY_FILE:
		return read_text(at, end, &range->file);
	case KEY_FILE_REF:
		return read_ref(at, end, &range->file);
	case KEY_CALL_LINE:
		return sound_if(read_u32(at, end, &range->call_line));
	case KEY_CALL_FILE:
		return read_text(at, end, &range->call_file);
	case KEY_CALL_FILE_REF:
		return read_ref(at, end, &range->call_file);
	case KEY_DEPTH:
		return sound_if(read_u32(at, end, &range->depth));
	default:
		/* a known field of the wrong type is an error, an unknown field is skipped */
		if (key >> 3 <= LAST_FIELD)
			return SYMBFILE_BAD_PROTOBUF;
		return sound_if(wire_skip(at, end, key >> 3, (enum wire_type)(key & 7)));
	}
}

enum symbfile_code symbfile_read_range(struct symbfile_record *record, enum symbfile_base *base)
{
	const uint8_t *at = record->body.data, *end = at + record->body.size;
	struct symbfile_range *range = &record->range;
	struct counts counts = { 0, 0 };
	unsigned tables = 0;

	*range = (struct symbfile_range){ .start = 0 };
	*base = SYMBFILE_NOWHERE;
	while (at < end) {
		enum symbfile_code code;
		uint32_t number;
		enum wire_type type;
		struct cairn_bytes message;
		if (!wire_key(&at, end, &number, &type))
			return SYMBFILE_BAD_PROTOBUF;
		uint32_t key = number << 3 | (uint32_t)type;
		if (key == KEY_LINES) {
			code = sound_if(wire_bytes(&at, end, &message) &&
			                read_line_table_columns(message, &range->lines, &counts));
			range->lines.odd |= tables++ > 0;
		} else {
			code = read_field(&at, end, key, range, base);
		}
		if (code != SYMBFILE_VALID)
			return code;
	}
	range->lines.count = counts.offsets;
	return counts.offsets == counts.lines ? SYMBFILE_VALID : SYMBFILE_COLUMN_MISMATCH;
}
