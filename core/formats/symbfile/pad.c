/* SPDX-License-Identifier: MIT */
/*
 * Reads return pads, string tables and headers:
 *
 *	ReturnPadV1    1 sint64 address, relative; 5 uint64 address;
 *	               2 functions, 3 files, 4 lines: repeated uint32
 *	StringTableV1  1 repeated string
 *	Header         nothing yet
 */
#include "record.h"

#include "base/utf8.h"
#include "base/wire.h"

enum {
	FIELD_DELTA = 1,
	FIELD_FIRST_COLUMN = 2,
	FIELD_LAST_COLUMN = 4,
	FIELD_ADDRESS = 5,
	FIELD_STRING = 1,
};

static bool read_pad_address(const uint8_t **at, const uint8_t *end, struct symbfile_pad *pad,
                             enum symbfile_base *base, bool absolute)
{
	uint64_t value;

	if (!wire_varint(at, end, &value))
		return false;
	pad->address = absolute ? value : wire_zigzag(value);
	*base = absolute ? SYMBFILE_ABSOLUTE : SYMBFILE_RELATIVE;
	return true;
}

static bool read_pad_field(const uint8_t **at, const uint8_t *end, struct symbfile_pad *pad,
                           enum symbfile_base *base, uint32_t counts[SYMBFILE_COLUMNS])
{
	uint32_t number;
	enum wire_type type;

	if (!wire_key(at, end, &number, &type))
		return false;
	if (number > FIELD_ADDRESS)
		return wire_skip(at, end, number, type);
	if (number == FIELD_DELTA || number == FIELD_ADDRESS)
		return type == WIRE_VARINT &&
		       read_pad_address(at, end, pad, base, number == FIELD_ADDRESS);
	unsigned column = number - FIELD_FIRST_COLUMN;
	return (type == WIRE_BYTES || type == WIRE_VARINT) &&
	       symbfile_read_column(at, end, type == WIRE_BYTES, &pad->frames, column,
	                            &counts[column]);
}

enum symbfile_code symbfile_read_pad(struct symbfile_record *record, enum symbfile_base *base)
{
	const uint8_t *at = record->body.data, *end = at + record->body.size;
	uint32_t counts[SYMBFILE_COLUMNS] = { 0, 0, 0 };
	struct symbfile_pad *pad = &record->pad;

	*pad = (struct symbfile_pad){ .address = 0 };
	*base = SYMBFILE_NOWHERE;
	while (at < end)
		if (!read_pad_field(&at, end, pad, base, counts))
			return SYMBFILE_BAD_PROTOBUF;
	pad->frames.count = counts[0];
	if (counts[0] != counts[1] || counts[0] != counts[2])
		return SYMBFILE_COLUMN_MISMATCH;
	return SYMBFILE_VALID;
}

enum symbfile_code symbfile_read_table(struct symbfile_record *record)
{
	const uint8_t *at = record->body.data, *end = at + record->body.size;
	uint32_t number, count = 0;
	enum wire_type type;
	struct cairn_bytes text;

	while (at < end) {
		if (!wire_key(&at, end, &number, &type))
			return SYMBFILE_BAD_PROTOBUF;
		if (number != FIELD_STRING) {
			if (!wire_skip(&at, end, number, type))
				return SYMBFILE_BAD_PROTOBUF;
			continue;
		}
		if (type != WIRE_BYTES || !wire_bytes(&at, end, &text))
			return SYMBFILE_BAD_PROTOBUF;
		if (!utf8_is_valid(text))
			return SYMBFILE_BAD_UTF8;
		count++;
	}
	record->table.count = count;
	return SYMBFILE_VALID;
}

enum symbfile_code symbfile_read_header(struct cairn_bytes body)
{
	const uint8_t *at = body.data, *end = at + body.size;
	uint32_t number;
	enum wire_type type;

	while (at < end)
		if (!wire_key(&at, end, &number, &type) || !wire_skip(&at, end, number, type))
			return SYMBFILE_BAD_PROTOBUF;
	return SYMBFILE_VALID;
}

bool symbfile_next_string(struct cairn_bytes *body, struct cairn_bytes *text)
{
	const uint8_t *at = body->data, *end = at + body->size;
	uint32_t number;
	enum wire_type type;

	while (at < end && wire_key(&at, end, &number, &type)) {
		bool found = number == FIELD_STRING && type == WIRE_BYTES;
		if (found ? !wire_bytes(&at, end, text) : !wire_skip(&at, end, number, type))
			return false;
		*body = (struct cairn_bytes){ at, (size_t)(end - at) };
		if (found)
			return true;
	}
	return false;
}
