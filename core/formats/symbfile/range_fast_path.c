/* SPDX-License-Identifier: MIT */
/*
 * Decodes the usual RangeV1: fields in the order of the main producer, numbers of at most 28 bits,
 * frames below 128 bytes, a two-column line table. Whatever is of any other kind, or wrong, is left
 * to the road that knows everything (symbfile.c, range.c), which begins anew at the same frame.
 *
 * Numbers are not compared with the end one by one: so many bytes must follow that none is read
 * after the file, and what runs over the end of its record is refused in the end.  The speed of
 * reading hangs on the instructions that are executed here, some 250 for a record.
 */
#include "range_keys.h"
#include "record.h"

#include "base/bytes.h"
#include "base/text/utf8.h"
#include "base/wire.h"

enum {
	FRAME_SIZE = 2, /* a length and a type */
	BODY_MAX = 0x7f,
	/* Six numbers with their keys, five bytes each, and a word of a line table. */
	SLACK = 6 * 5 + 4 + sizeof(uint64_t),
};

/* A number of up to four bytes; false: of those that there are more. */
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
 * The way to the next range, of up to five bytes: between functions in random order it is as far as
 * the program is large.
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
 * The same for places of a table, which have two bytes or three: which of them, no processor can
 * guess, so there is no branch for it.
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

/* A field that may be absent, and is 0 then. */
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

/* A text by reference, or in place, or none. */
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
 * How many numbers fill a column: as many as bytes that end one.  In eight bytes none can be too
 * long; the last byte must end one.
 */
static inline bool count_numbers(const uint8_t *run, size_t size, uint32_t *count)
{
	const uint64_t tops = 0x8080808080808080, ones = 0x0101010101010101;

	if (size - 1 >= sizeof(tops))
		return wire_count(run, run + size, count);
	/* the column's bytes alone, as the top ones of the word */
	uint64_t ends = ~bytes_u64(run, false) << (64 - 8 * size) & tops;
	*count = (uint32_t)((ends >> 7) * ones >> 56);
	return ends >> 63;
}

/* The line table, which ends the record; or the end itself. */
static inline bool read_small_line_table(const uint8_t *at, const uint8_t *end,
                                         struct symbfile_columns *lines)
{
	lines->count = 0;
	lines->odd = false;
	if (at == end)
		return true;
	/* key and size of the table, of the offsets, of the numbers; the record is below 128 bytes
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
 * The next record when it is a range of the usual form, and file->straight.  Else nothing but
 * *record has changed.
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
