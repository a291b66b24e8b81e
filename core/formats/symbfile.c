/* SPDX-License-Identifier: MIT */
/*
 * Reads the container as described in docs/formats/symbfile.md:
 *
 *	file    = "symbfile" message*
 *	message = length:varint type:varint body:byte[length]
 *
 * `length` is the size of the body. The first message is a header. The file may end after any
 * message. Messages of unknown type are skipped, so that the format can be extended.
 */
#include "symbfile.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "base/wire.h"

#include <string.h>

/* Encoding of a record's address. */
enum symbfile_base { SYMBFILE_NOWHERE, SYMBFILE_RELATIVE, SYMBFILE_ABSOLUTE };

/* Field keys (field number and wire type) in a RangeV1 and its line table. */

enum {
	KEY_DELTA = 1 << 3 | WIRE_VARINT,
	KEY_ADDRESS = 12 << 3 | WIRE_VARINT,
	KEY_LENGTH = 2 << 3 | WIRE_VARINT,
	KEY_FUNCTION = 3 << 3 | WIRE_BYTES,
	KEY_FUNCTION_REF = 9 << 3 | WIRE_VARINT,
	KEY_FILE = 4 << 3 | WIRE_BYTES,
	KEY_FILE_REF = 10 << 3 | WIRE_VARINT,
	KEY_CALL_LINE = 5 << 3 | WIRE_VARINT,
	KEY_CALL_FILE = 6 << 3 | WIRE_BYTES,
	KEY_CALL_FILE_REF = 11 << 3 | WIRE_VARINT,
	KEY_DEPTH = 7 << 3 | WIRE_VARINT,
	KEY_LINES = 8 << 3 | WIRE_BYTES,
	KEY_OFFSETS = 1 << 3 | WIRE_BYTES,
	KEY_LINE_NUMBERS = 2 << 3 | WIRE_BYTES,
};

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
	[SYMBFILE_BAD_UTF8] = { "bad-utf8", "a string that is not UTF-8" },
	[SYMBFILE_COLUMN_MISMATCH] = { "column-mismatch", "columns of one table differ in length" },
	[SYMBFILE_MISSING_FIELD] = { "missing-field", "a record without address or function" },
	[SYMBFILE_NO_BASE] = { "no-base", "a relative address with none before it" },
	[SYMBFILE_BAD_REF] = { "bad-ref", "a reference past the end of the string table" },
	[SYMBFILE_LINES_UNSORTED] = { "line-table-unsorted",
	                              "a line table whose addresses descend" },
};

static bool symbfile_pad_refers(const struct symbfile_record *record, uint32_t strings);
static enum symbfile_code read_pad(struct symbfile_record *record, enum symbfile_base *base);
static enum symbfile_code symbfile_read_table(struct symbfile_record *record);
static enum symbfile_code symbfile_read_header(struct cairn_bytes body);
static enum symbfile_code symbfile_read_range(struct symbfile_record *record,
                                              enum symbfile_base *base);

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
 * Read a varint in a frame's header. The fault is SYMBFILE_TRUNCATED if the file ends within the
 * varint, and SYMBFILE_VARINT_TOO_LONG if it is too long.
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

/* Compute the absolute address of a record and remember it as the base for the next record. */
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
	enum symbfile_code code = read_pad(record, base);

	if (code == SYMBFILE_BAD_PROTOBUF)
		return code;
	enum symbfile_code place = resolve_record_address(file, *base, &record->pad.address);
	if (code != SYMBFILE_VALID || place != SYMBFILE_VALID)
		return code != SYMBFILE_VALID ? code : place;
	return symbfile_pad_refers(record, file->strings) ? SYMBFILE_VALID : SYMBFILE_BAD_REF;
}

/*
 * Read a record that contains an address. If the address of an earlier record is unknown because of
 * damage, a relative record has no known address either. Set *kept to false for such a record, even
 * if it is invalid in other ways.
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

/* Read the body of a frame. Set *kept to true if symbfile_next() must return the record. */
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

/* Like symbfile_next(), but without the fast path. */
static bool symbfile_next_of_any_kind(struct symbfile *file, struct symbfile_record *record)
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

/*
 * Reads columns of numbers. Writers write each column as one packed field. However, Protocol
 * Buffers allow any number of packed and unpacked fields, and several fields for the enclosing
 * message. Columns that are split in these ways are called `odd`. They are validated when the
 * record is read, and the record is searched for their pieces again whenever they are used.
 */

/*
 * Field number of the line table in a range, and field numbers of the first column in a line table
 * and in a return pad. The other columns follow in order.
 */
enum { FIELD_LINES = 8, FIELD_OFFSET = 1, FIELD_PAD_FUNCTION = 2 };

/*
 * Read a field of a column, either a packed list or a single number. `at` is after the key. Add the
 * number of values to *count. Store the bounds of the field in columns->run and columns->end. If
 * the column already has a field, set columns->odd.
 */
static bool read_column(const uint8_t **at, const uint8_t *end, bool packed,
                        struct symbfile_columns *columns, unsigned column, uint32_t *count)
{
	struct cairn_bytes run = { *at, 0 };
	uint32_t more = 1;
	uint64_t value;

	if (packed) {
		if (!wire_bytes(at, end, &run) || !wire_count(run.data, run.data + run.size, &more))
			return false;
	} else {
		if (!wire_varint(at, end, &value))
			return false;
		run.size = (size_t)(*at - run.data);
	}
	if (columns->run[column])
		columns->odd = true;
	columns->run[column] = run.data;
	columns->end[column] = run.data + run.size;
	*count += more;
	return true;
}

/*
 * Initialize a column. This function runs for every record, so for speed it does not initialize
 * fields that are used only if `fields` or `outer` is set.
 */
static inline void begin_column(struct symbfile_column *c, const struct symbfile_record *record,
                                const struct symbfile_columns *columns, unsigned index)
{
	c->fields = c->outer = NULL;
	c->at = c->end = NULL;
	if (columns->count > 0 && !columns->odd) {
		c->at = columns->run[index];
		c->end = columns->end[index];
	}
	c->number = (uint8_t)(record->kind == SYMBFILE_RANGE ? FIELD_OFFSET + index
	                                                     : FIELD_PAD_FUNCTION + index);
}

/*
 * Start to iterate over an odd column. The pieces of a column are in the record itself for a return
 * pad, and in the record's line tables for a range.
 */
static void begin_odd(struct symbfile_column *c, const struct symbfile_record *record)
{
	const uint8_t *begin = record->body.data, *end = begin + record->body.size;

	if (record->kind == SYMBFILE_RANGE) {
		c->outer = begin;
		c->outer_end = end;
		c->outer_number = FIELD_LINES;
	} else {
		c->fields = begin;
		c->field_end = end;
	}
}

/*
 * Find the next field with number `wanted`. Set *piece to the contents of a packed field, or to a
 * single encoded number.
 */
static bool next_piece(const uint8_t **at, const uint8_t *end, uint32_t wanted,
                       struct cairn_bytes *piece)
{
	uint32_t number;
	enum wire_type type;

	while (*at < end && wire_key(at, end, &number, &type)) {
		const uint8_t *value = *at;
		if (number == wanted && type == WIRE_BYTES)
			return wire_bytes(at, end, piece);
		if (!wire_skip(at, end, number, type))
			return false;
		*piece = (struct cairn_bytes){ value, (size_t)(*at - value) };
		if (number == wanted)
			return true;
	}
	return false;
}

static bool refill_column(struct symbfile_column *c)
{
	struct cairn_bytes piece;

	for (;;) {
		if (c->fields && next_piece(&c->fields, c->field_end, c->number, &piece)) {
			c->at = piece.data;
			c->end = piece.data + piece.size;
			return true;
		}
		if (!c->outer || !next_piece(&c->outer, c->outer_end, c->outer_number, &piece))
			return false;
		c->fields = piece.data;
		c->field_end = piece.data + piece.size;
	}
}

static inline bool next_value(struct symbfile_column *column, uint32_t *value)
{
	uint64_t wide;

	while (column->at == column->end)
		if (!refill_column(column))
			return false;
	if (!wire_varint(&column->at, column->end, &wide))
		return false;
	*value = (uint32_t)wide;
	return true;
}

void symbfile_rows_begin(struct symbfile_rows *rows, const struct symbfile_record *record)
{
	const struct symbfile_columns *lines = &record->range.lines;

	rows->sum = 0;
	begin_column(&rows->offset, record, lines, 0);
	begin_column(&rows->line, record, lines, 1);
	if (lines->odd) {
		begin_odd(&rows->offset, record);
		begin_odd(&rows->line, record);
	}
}

bool symbfile_next_row(struct symbfile_rows *rows, struct symbfile_row *row)
{
	uint32_t step, line;

	if (!next_value(&rows->offset, &step) || !next_value(&rows->line, &line))
		return false;
	rows->sum += step;
	*row = (struct symbfile_row){ rows->sum, line };
	return true;
}

void symbfile_frames_begin(struct symbfile_frames *frames, const struct symbfile_record *record)
{
	const struct symbfile_columns *columns = &record->pad.frames;

	begin_column(&frames->function, record, columns, 0);
	begin_column(&frames->file, record, columns, 1);
	begin_column(&frames->line, record, columns, 2);
	if (columns->odd) {
		begin_odd(&frames->function, record);
		begin_odd(&frames->file, record);
		begin_odd(&frames->line, record);
	}
}

bool symbfile_next_frame(struct symbfile_frames *frames, struct symbfile_frame *frame)
{
	struct symbfile_frame f;

	if (!next_value(&frames->function, &f.function) || !next_value(&frames->file, &f.file) ||
	    !next_value(&frames->line, &f.line))
		return false;
	*frame = f;
	return true;
}

/* Return true if all references in a return pad are valid in a table of `strings` strings. */
static bool symbfile_pad_refers(const struct symbfile_record *record, uint32_t strings)
{
	struct symbfile_frames frames;
	struct symbfile_frame frame;

	symbfile_frames_begin(&frames, record);
	while (symbfile_next_frame(&frames, &frame))
		if (frame.function >= strings || frame.file >= strings)
			return false;
	return true;
}

/*
 * Reads return pads, string tables and headers:
 *
 *	ReturnPadV1    1 sint64 address, relative; 5 uint64 address;
 *	               2 functions, 3 files, 4 lines: repeated uint32
 *	StringTableV1  1 repeated string
 *	Header         no fields yet
 */

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
	       read_column(at, end, type == WIRE_BYTES, &pad->frames, column, &counts[column]);
}

static enum symbfile_code read_pad(struct symbfile_record *record, enum symbfile_base *base)
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

static enum symbfile_code symbfile_read_table(struct symbfile_record *record)
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

/* Validate the header, for which no fields are defined yet. */
static enum symbfile_code symbfile_read_header(struct cairn_bytes body)
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
 * are concatenated. This is the general decoder; the fast path below decodes nearly all records.
 */

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
		if (!read_column(&at, end, type == WIRE_BYTES, lines, number - 1,
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

/*
 * Read record->body into record->range. The address is returned as stored; *base tells whether it
 * is absolute or relative to the previous one. Return SYMBFILE_VALID, SYMBFILE_BAD_PROTOBUF,
 * SYMBFILE_BAD_UTF8 or SYMBFILE_COLUMN_MISMATCH. The caller makes the checks that depend on earlier
 * records.
 */
static enum symbfile_code symbfile_read_range(struct symbfile_record *record,
                                              enum symbfile_base *base)
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

/*
 * Fast path for RangeV1 records in the most common form: fields in the order of the main producer,
 * numbers of at most 28 bits, frames of less than 128 bytes, and a two-column line table. Records
 * of any other form, and invalid ones, are left to the general decoder above, which starts again at
 * the same frame.
 *
 * Bounds are not checked for each number. Instead, the fast path requires that enough bytes follow
 * the record for no read to extend past the file, and it rejects a record afterwards if its fields
 * extend past its end. The speed depends on the number of instructions here, which is about 250 per
 * record. Decoding numbers without branches would be 20 % slower, because each number would have to
 * wait for the previous one.
 */

enum {
	FRAME_SIZE = 2, /* size of a frame's header: one byte for the length, one for the type */
	BODY_MAX = 0x7f,
	/*
	 * maximum distance of a read past the end of a record: six numbers of five bytes with their
	 * keys, and one word of a line table
	 */
	SLACK = 6 * 5 + 4 + sizeof(uint64_t),
};

/*
 * Read a number of at most four bytes. For a longer number, set *value to the bits in the first
 * four bytes and return false.
 */
static inline bool read_small_varint(const uint8_t **at, uint32_t *value)
{
	const uint8_t *p = *at;
	uint32_t v = p[0];

	*at = p + 1;
	if (v >= 0x80) {
		v = (v & 0x7f) | (uint32_t)p[1] << 7;
		*at = p + 2;
		if (p[1] >= 0x80) {
			v = (v & 0x3fff) | (uint32_t)p[2] << 14;
			*at = p + 3;
			if (p[2] >= 0x80) {
				v = (v & 0x1fffff) | (uint32_t)p[3] << 21;
				*at = p + 4;
				if (p[3] >= 0x80) {
					*value = v & 0xfffffff;
					return false;
				}
			}
		}
	}
	*value = v;
	return true;
}

/*
 * Read the difference between the start of a range and the address of the previous record. Accept
 * up to five bytes, because the difference can be as large as the program if functions are not
 * sorted.
 */
static inline bool read_address_delta(const uint8_t **at, uint64_t *value)
{
	const uint8_t *p = *at;
	uint32_t v;

	bool whole = read_small_varint(at, &v);
	*value = v;
	if (whole)
		return true;
	*value |= (uint64_t)p[4] << 28;
	*at = p + 5;
	return p[4] < 0x80;
}

/*
 * Read a string index. Most have two or three bytes in unpredictable order, so distinguish these
 * sizes without a branch.
 */
static inline bool read_string_index(const uint8_t **at, uint32_t *value)
{
	const uint8_t *p = *at;
	uint32_t first = p[0], second = p[1], third = p[2], three = second >> 7;

	if (first < 0x80 || second & third & 0x80)
		return read_small_varint(at, value);
	*value = (first & 0x7f) | (second & 0x7f) << 7 | (third << 14 & (0 - three));
	*at = p + 2 + three;
	return true;
}

static inline bool read_optional_field(const uint8_t **at, uint8_t key, uint32_t *value)
{
	*value = 0;
	if (**at != key)
		return true;
	++*at;
	return read_small_varint(at, value);
}

static bool read_inline_text(const uint8_t **at, const uint8_t *end, struct symbfile_text *text)
{
	uint32_t size;

	if (!read_small_varint(at, &size) || *at > end || size > (size_t)(end - *at))
		return false;
	*text = (struct symbfile_text){ *at, size, SYMBFILE_INLINE };
	*at += size;
	return utf8_is_valid((struct cairn_bytes){ text->data, size });
}

struct text_keys {
	uint8_t ref, in_place;
};

static inline bool read_text_field(const uint8_t **at, const uint8_t *end, uint32_t strings,
                                   struct text_keys keys, struct symbfile_text *text)
{
	uint8_t key = **at;

	text->data = NULL;
	if (key == keys.ref) {
		++*at;
		text->kind = SYMBFILE_REF;
		return read_string_index(at, &text->value) && text->value < strings;
	}
	text->kind = SYMBFILE_ABSENT;
	text->value = 0;
	if (key != keys.in_place)
		return true;
	++*at;
	return read_inline_text(at, end, text);
}

/*
 * Count the numbers in a column by counting bytes whose high bit is clear, which end a number.
 * Columns of at most eight bytes cannot contain a number that is too long, so check only the last
 * byte.
 */
static inline bool count_numbers(const uint8_t *run, size_t size, uint32_t *count)
{
	const uint64_t tops = 0x8080808080808080, ones = 0x0101010101010101;

	if (size - 1 >= sizeof(tops))
		return wire_count(run, run + size, count);
	/* shift the column's bytes to the top of the word */
	uint64_t ends = ~bytes_u64(run, false) << (64 - 8 * size) & tops;
	*count = (uint32_t)((ends >> 7) * ones >> 56);
	return ends >> 63;
}

/* Read the optional line table, which is the last part of the record. */
static inline bool read_small_line_table(const uint8_t *at, const uint8_t *end,
                                         struct symbfile_columns *lines)
{
	lines->count = 0;
	lines->odd = false;
	if (at == end)
		return true;
	/*
	 * check the keys and the one-byte sizes of the line table, its offsets and its line numbers
	 */
	if (end - at < 6 || at[0] != KEY_LINES || at[1] != end - at - 2 || at[2] != KEY_OFFSETS ||
	    at[3] > end - at - 6)
		return false;
	const uint8_t *offset = at + 4, *line = offset + at[3] + 2;
	if (line[-2] != KEY_LINE_NUMBERS || line[-1] != end - line)
		return false;
	uint32_t count;
	lines->run[0] = offset;
	lines->end[0] = line - 2;
	lines->run[1] = line;
	lines->end[1] = end;
	return count_numbers(offset, (size_t)(line - 2 - offset), &lines->count) &&
	       count_numbers(line, (size_t)(end - line), &count) && count == lines->count;
}

static inline bool read_range_fields(const uint8_t *at, const uint8_t *end, uint32_t strings,
                                     struct symbfile_range *range)
{
	uint64_t way;
	uint32_t length;

	if (*at++ != KEY_DELTA || !read_address_delta(&at, &way) ||
	    !read_optional_field(&at, KEY_LENGTH, &length))
		return false;
	range->start = wire_zigzag(way);
	range->length = length;
	return read_text_field(&at, end, strings,
	                       (struct text_keys){ KEY_FUNCTION_REF, KEY_FUNCTION },
	                       &range->function) &&
	       range->function.kind != SYMBFILE_ABSENT &&
	       read_text_field(&at, end, strings, (struct text_keys){ KEY_FILE_REF, KEY_FILE },
	                       &range->file) &&
	       read_optional_field(&at, KEY_CALL_LINE, &range->call_line) &&
	       read_text_field(&at, end, strings,
	                       (struct text_keys){ KEY_CALL_FILE_REF, KEY_CALL_FILE },
	                       &range->call_file) &&
	       read_optional_field(&at, KEY_DEPTH, &range->depth) &&
	       read_small_line_table(at, end, &range->lines);
}

/*
 * Read the next record if it is a range of the common form and file->straight is set. Otherwise
 * return false and change nothing except *record.
 */
static inline bool read_usual_range(struct symbfile *file, struct symbfile_record *record)
{
	const uint8_t *at = file->bytes.data + file->at;

	if (!file->straight || file->bytes.size - file->at < FRAME_SIZE + BODY_MAX + SLACK ||
	    at[0] > BODY_MAX || at[1] != SYMBFILE_RANGE)
		return false;
	const uint8_t *body = at + FRAME_SIZE, *end = body + at[0];
	if (!read_range_fields(body, end, file->strings, &record->range))
		return false;
	record->kind = SYMBFILE_RANGE;
	record->offset = file->at;
	record->body = (struct cairn_bytes){ body, at[0] };
	file->at += FRAME_SIZE + (size_t)at[0];
	record->range.start += file->previous;
	file->previous = record->range.start;
	return true;
}

bool symbfile_next(struct symbfile *file, struct symbfile_record *record)
{
	return read_usual_range(file, record) || symbfile_next_of_any_kind(file, record);
}
