/* SPDX-License-Identifier: MIT */
/*
 * Decodes the common form of RangeV1: fields in the order of the main producer, numbers of at most
 * 28 bits, frames of less than 128 bytes, and a two-column line table. Records of any other form,
 * and invalid ones, are left to the general decoder (symbfile.c, range.c), which starts again at
 * the same frame.
 *
 * Numbers are not checked against the end one by one. Instead, enough bytes must follow the record
 * that no read extends past the file, and a record whose fields extend past its end is rejected
 * afterwards. The speed depends on the number of instructions here, which is about 250 per record.
 */
#include "range_keys.h"
#include "record.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "base/wire.h"

enum {
	FRAME_SIZE = 2, /* one-byte length and one-byte type */
	BODY_MAX = 0x7f,
	/* six numbers with their keys, five bytes each, and a word of a line table */
	SLACK = 6 * 5 + 4 + sizeof(uint64_t),
};

/*
 * Read a number of up to four bytes. If it is longer, return false and the bits of the first four.
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
 * Read the difference to the previous start, which has up to five bytes: if functions are in random
 * order, it can be as large as the program.
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
 * Read a string index. Most have two or three bytes in unpredictable order, so the two sizes are
 * distinguished without a branch.
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

/* Read a string that is a reference, inline or absent. */
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
 * Count the numbers in a column, which is the number of bytes that end one. Columns of up to eight
 * bytes cannot contain a number that is too long, so only the last byte must be checked.
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

/* Read the line table, which ends the record if present. */
static inline bool read_small_line_table(const uint8_t *at, const uint8_t *end,
                                         struct symbfile_columns *lines)
{
	lines->count = 0;
	lines->odd = false;
	if (at == end)
		return true;
	/* keys and sizes of the table, the offsets and the line numbers; all sizes have one byte */
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
 * return false; only *record has changed then.
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
