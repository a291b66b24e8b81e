/* SPDX-License-Identifier: MIT */
/*
 * Reads the container as described in docs/formats/symbfile.md:
 *
 *	file    = "symbfile" message*
 *	message = length:varint type:varint body:byte[length]
 *
 * `length` is the size of the body. The first message is a header. The file may end after any
 * message. Messages of unknown type are skipped by their length, so that the format can be
 * extended.
 */
#include "symbfile.h"

#include "record.h"

#include "base/wire.h"

#include <string.h>

static const struct {
	const char *name, *text;
} codes[] = {
	[SYMBFILE_VALID] = { "ok", "sound" },
	[SYMBFILE_SHORT_FILE] = { "short-file", "the file is too short to be a symbfile" },
	[SYMBFILE_BAD_MAGIC] = { "bad-magic", "not a symbfile" },
	[SYMBFILE_NO_HEADER] = { "no-header", "the first message is not a header" },
	[SYMBFILE_BAD_TYPE] = { "bad-type", "a message of this type is not allowed here" },
	[SYMBFILE_TRUNCATED] = { "truncated", "the file ends inside a message" },
	[SYMBFILE_VARINT_TOO_LONG] = { "varint-too-long",
	                               "the length or type of a message is wider than 64 bits" },
	[SYMBFILE_MESSAGE_TOO_BIG] = { "message-too-big", "a message of more than 16 MiB" },
	[SYMBFILE_BAD_PROTOBUF] = { "bad-protobuf", "a message that does not follow its encoding" },
	[SYMBFILE_BAD_UTF8] = { "bad-utf8", "a text that is not UTF-8" },
	[SYMBFILE_COLUMN_MISMATCH] = { "column-mismatch", "columns of one table differ in length" },
	[SYMBFILE_MISSING_FIELD] = { "missing-field", "a record without address or function" },
	[SYMBFILE_NO_BASE] = { "no-base", "a relative address with none before it" },
	[SYMBFILE_BAD_REF] = { "bad-ref", "a reference past the end of the string table" },
	[SYMBFILE_LINES_UNSORTED] = { "line-table-unsorted", "a line table that goes backwards" },
};

const char *symbfile_code_name(enum symbfile_code code)
{
	return codes[code].name;
}

static enum cairn_status status_of(enum symbfile_code code)
{
	switch (code) {
	case SYMBFILE_VALID:
		return CAIRN_OK;
	case SYMBFILE_SHORT_FILE:
	case SYMBFILE_TRUNCATED:
		return CAIRN_TRUNCATED;
	case SYMBFILE_BAD_MAGIC:
		return CAIRN_UNSUPPORTED;
	case SYMBFILE_NO_HEADER:
	case SYMBFILE_BAD_TYPE:
	case SYMBFILE_VARINT_TOO_LONG:
	case SYMBFILE_MESSAGE_TOO_BIG:
	case SYMBFILE_BAD_PROTOBUF:
	case SYMBFILE_BAD_UTF8:
	case SYMBFILE_COLUMN_MISMATCH:
	case SYMBFILE_MISSING_FIELD:
	case SYMBFILE_NO_BASE:
	case SYMBFILE_BAD_REF:
	case SYMBFILE_LINES_UNSORTED:
		break;
	}
	return CAIRN_MALFORMED;
}

bool symbfile_has_magic(struct cairn_bytes bytes)
{
	return bytes.size >= SYMBFILE_MAGIC_SIZE &&
	       memcmp(bytes.data, SYMBFILE_MAGIC, SYMBFILE_MAGIC_SIZE) == 0;
}

const char *symbfile_compression(struct cairn_bytes bytes)
{
	if (bytes.size >= 4 && memcmp(bytes.data, "\x28\xb5\x2f\xfd", 4) == 0)
		return "zstd";
	if (bytes.size >= 2 && memcmp(bytes.data, "\x1f\x8b", 2) == 0)
		return "gzip";
	return NULL;
}

struct cairn_fault symbfile_fault(const struct symbfile *file)
{
	const char *what = codes[file->code].text;
	const char *packed = symbfile_compression(file->bytes);

	if (file->code == SYMBFILE_BAD_MAGIC && packed)
		what = packed[0] == 'z' ? "a zstd file; the symbfile is inside it"
		                        : "a gzip file; the symbfile is inside it";
	return (struct cairn_fault){ status_of(file->code), file->offset, what };
}

static bool fail_symbfile(struct symbfile *file, size_t offset, enum symbfile_code code)
{
	file->straight = false;
	file->code = code;
	file->offset = offset;
	return false;
}

struct symbfile symbfile_open(struct cairn_bytes bytes)
{
	struct symbfile file = { .bytes = bytes };

	if (bytes.size < SYMBFILE_MAGIC_SIZE)
		fail_symbfile(&file, 0, SYMBFILE_SHORT_FILE);
	else if (!symbfile_has_magic(bytes))
		fail_symbfile(&file, 0, SYMBFILE_BAD_MAGIC);
	else
		file.at = SYMBFILE_MAGIC_SIZE;
	return file;
}

/*
 * Read a number of a frame. The code is SYMBFILE_TRUNCATED if the file ends within it,
 * SYMBFILE_VARINT_TOO_LONG if it is too long.
 */
static bool read_frame_number(struct symbfile *file, const uint8_t **at, uint64_t *value)
{
	const uint8_t *end = file->bytes.data + file->bytes.size;

	if (wire_varint(at, end, value))
		return true;
	const uint8_t *p = *at;
	while (p < end && p - *at < WIRE_VARINT_MAX && *p >= 0x80)
		p++;
	bool cut = p == end && p - *at < WIRE_VARINT_MAX;
	return fail_symbfile(file, file->at, cut ? SYMBFILE_TRUNCATED : SYMBFILE_VARINT_TOO_LONG);
}

static bool check_type(struct symbfile *file, uint64_t type)
{
	if (!file->has_header && type != SYMBFILE_HEADER)
		return fail_symbfile(file, file->at, SYMBFILE_NO_HEADER);
	if (type == 0 || type > INT32_MAX || (file->has_header && type == SYMBFILE_HEADER))
		return fail_symbfile(file, file->at, SYMBFILE_BAD_TYPE);
	return true;
}

static bool next_frame(struct symbfile *file, uint64_t *type, struct symbfile_record *record)
{
	const uint8_t *at = file->bytes.data + file->at, *end = file->bytes.data + file->bytes.size;
	uint64_t length;

	if (at == end)
		return !file->has_header && fail_symbfile(file, file->at, SYMBFILE_NO_HEADER);
	if (!read_frame_number(file, &at, &length))
		return false;
	if (length > SYMBFILE_MESSAGE_MAX)
		return fail_symbfile(file, file->at, SYMBFILE_MESSAGE_TOO_BIG);
	if (!read_frame_number(file, &at, type) || !check_type(file, *type))
		return false;
	if (length > (uint64_t)(end - at))
		return fail_symbfile(file, file->at, SYMBFILE_TRUNCATED);
	record->offset = file->at;
	record->body = (struct cairn_bytes){ at, (size_t)length };
	file->at = (size_t)(at + length - file->bytes.data);
	return true;
}

/* Compute the absolute address of a record, which becomes the base of the next record. */
static enum symbfile_code resolve_record_address(struct symbfile *file, enum symbfile_base base,
                                                 uint64_t *address)
{
	switch (base) {
	case SYMBFILE_NOWHERE:
		file->address_lost = true;
		return SYMBFILE_MISSING_FIELD;
	case SYMBFILE_RELATIVE:
		if (!file->has_previous)
			return SYMBFILE_NO_BASE;
		*address += file->previous;
		break;
	case SYMBFILE_ABSOLUTE:
		file->address_lost = false;
		break;
	}
	file->previous = *address;
	file->has_previous = true;
	file->straight = !file->address_lost;
	return SYMBFILE_VALID;
}

static inline bool has_text_in_table(const struct symbfile *file, const struct symbfile_text *text)
{
	return text->kind != SYMBFILE_REF || text->value < file->strings;
}

static enum symbfile_code read_range_record(struct symbfile *file, struct symbfile_record *record,
                                            enum symbfile_base *base)
{
	struct symbfile_range *range = &record->range;
	enum symbfile_code code = symbfile_read_range(record, base);

	if (code == SYMBFILE_BAD_PROTOBUF || code == SYMBFILE_BAD_UTF8)
		return code;
	enum symbfile_code place = resolve_record_address(file, *base, &range->start);
	if (code != SYMBFILE_VALID || place != SYMBFILE_VALID)
		return code != SYMBFILE_VALID ? code : place;
	if (range->function.kind == SYMBFILE_ABSENT)
		return SYMBFILE_MISSING_FIELD;
	if (!has_text_in_table(file, &range->function) || !has_text_in_table(file, &range->file) ||
	    !has_text_in_table(file, &range->call_file))
		return SYMBFILE_BAD_REF;
	return SYMBFILE_VALID;
}

static enum symbfile_code read_pad_record(struct symbfile *file, struct symbfile_record *record,
                                          enum symbfile_base *base)
{
	enum symbfile_code code = symbfile_read_pad(record, base);

	if (code == SYMBFILE_BAD_PROTOBUF)
		return code;
	enum symbfile_code place = resolve_record_address(file, *base, &record->pad.address);
	if (code != SYMBFILE_VALID || place != SYMBFILE_VALID)
		return code != SYMBFILE_VALID ? code : place;
	return symbfile_pad_refers(record, file->strings) ? SYMBFILE_VALID : SYMBFILE_BAD_REF;
}

/*
 * Read a record that has an address. After an address was lost, a relative record is dropped even
 * if it is invalid in other respects; *kept is then set to false.
 */
static enum symbfile_code read_located_record(struct symbfile *file, struct symbfile_record *record,
                                              bool *kept)
{
	bool lost = file->address_lost;
	enum symbfile_base base;
	enum symbfile_code code = record->kind == SYMBFILE_RANGE
	                                  ? read_range_record(file, record, &base)
	                                  : read_pad_record(file, record, &base);

	if (code == SYMBFILE_BAD_PROTOBUF || code == SYMBFILE_BAD_UTF8)
		file->address_lost = true;
	else if (lost && base == SYMBFILE_RELATIVE)
		*kept = false;
	return code;
}

/* Read the body of a frame. Set *kept if it is a record to return to the caller. */
static enum symbfile_code read_frame_body(struct symbfile *file, uint64_t type,
                                          struct symbfile_record *record, bool *kept)
{
	enum symbfile_code code;

	*kept = true;
	record->kind = (enum symbfile_kind)type;
	switch (type) {
	case SYMBFILE_RANGE:
	case SYMBFILE_PAD:
		return read_located_record(file, record, kept);
	case SYMBFILE_TABLE:
		code = symbfile_read_table(record);
		file->strings = code == SYMBFILE_VALID ? record->table.count : 0;
		return code;
	case SYMBFILE_HEADER:
		*kept = false;
		file->has_header = true;
		return symbfile_read_header(record->body);
	default:
		*kept = false;
		file->unknown++;
		return SYMBFILE_VALID;
	}
}

bool symbfile_next_of_any_kind(struct symbfile *file, struct symbfile_record *record)
{
	uint64_t type;
	bool kept;

	if (file->code != SYMBFILE_VALID)
		return false;
	while (next_frame(file, &type, record)) {
		enum symbfile_code code = read_frame_body(file, type, record, &kept);
		bool drop = !kept && (type == SYMBFILE_RANGE || type == SYMBFILE_PAD);
		file->dropped += drop;
		if (drop)
			continue;
		if (code != SYMBFILE_VALID)
			return fail_symbfile(file, record->offset, code);
		if (kept)
			return true;
	}
	return false;
}

bool symbfile_resume(struct symbfile *file)
{
	if (file->code < SYMBFILE_BAD_PROTOBUF)
		return file->code == SYMBFILE_VALID;
	file->code = SYMBFILE_VALID;
	return true;
}
