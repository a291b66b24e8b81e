/* SPDX-License-Identifier: MIT */
/*
 * Iterates over the rows of a function and finds the row for an offset:
 *
 *	row  = start:width info:1 word:size*count
 *	info = base:1 (0 FP, 1 SP) count:4 size:2 (1, 2, 4 bytes) mangled:1
 *
 * rule.c interprets the words.
 */
#include "sframe.h"

#include "base/bytes.h"

enum {
	INFO_SIZE = 0x60,                       /* both bits set: undefined size */
	ROW_MAX = 4 + 1 + SFRAME_MAX_WORDS * 4, /* size of the largest row in bytes */
};

unsigned sframe_row_words(uint8_t info)
{
	return info >> 1 & 0xf;
}

unsigned sframe_word_size(uint8_t info)
{
	static const uint8_t sizes[] = { 1, 2, 4, 0 };
	return sizes[info >> 5 & 3];
}

struct sframe_rows sframe_rows(const struct sframe_table *table,
                               const struct sframe_function *function)
{
	return (struct sframe_rows){ .table = table,
		                     .left = function->rows,
		                     .width = function->width,
		                     .at = function->rows_at };
}

static bool stop_at_bad_fre(struct sframe_rows *rows, enum cairn_status status, size_t at,
                            const char *what)
{
	rows->left = 0;
	rows->fault = (struct cairn_fault){ status, rows->table->offset + at, what };
	return false;
}

bool sframe_next_row(struct sframe_rows *rows, struct sframe_row *row)
{
	const struct cairn_bytes bytes = rows->table->bytes;
	struct sframe_row r = { .at = rows->at };

	if (rows->left == 0)
		return false;
	if (rows->width > bytes.size - r.at)
		return stop_at_bad_fre(rows, CAIRN_TRUNCATED, r.at,
		                       "the table ends inside a row's start");
	r.start = (uint32_t)bytes_unsigned(bytes.data + r.at, rows->width, rows->table->big);
	if (rows->started && r.start < rows->previous)
		return stop_at_bad_fre(rows, CAIRN_MALFORMED, r.at, "rows do not ascend");
	rows->previous = r.start;
	rows->started = true;
	r.words = r.at + rows->width + 1;
	if (r.words > bytes.size)
		return stop_at_bad_fre(rows, CAIRN_TRUNCATED, r.words - 1,
		                       "the table ends inside a row");
	r.info = bytes.data[r.words - 1];
	unsigned size = sframe_word_size(r.info);
	if (size == 0)
		return stop_at_bad_fre(rows, CAIRN_MALFORMED, r.words - 1,
		                       "undefined word size in a row");
	if (sframe_row_words(r.info) * size > bytes.size - r.words)
		return stop_at_bad_fre(rows, CAIRN_TRUNCATED, r.words,
		                       "the table ends inside a row's words");

	rows->at = r.words + sframe_row_words(r.info) * size;
	rows->left--;
	*row = r;
	return true;
}

/*
 * Find the row in force at `offset` with few checks per row. This works only if the table is
 * little-endian, every row up to the offset is valid, and each is followed by enough bytes for the
 * largest row. Return false otherwise; the caller then uses the checked loop.
 */
static bool find_row_fast(const struct sframe_rows *rows, uint64_t offset, struct sframe_row *found,
                          uint64_t *next)
{
	const struct sframe_table *table = rows->table;
	const uint8_t *data = table->bytes.data;
	const uint32_t mask = UINT32_MAX >> (32 - 8 * rows->width);
	const size_t none = SIZE_MAX, width = rows->width;
	size_t at = rows->at, at_found = none;
	uint32_t previous = 0;

	if (table->big || table->bytes.size < ROW_MAX)
		return false;
	const size_t last = table->bytes.size - ROW_MAX;
	*next = UINT64_MAX;
	for (uint32_t left = rows->left; left > 0; left--) {
		if (at > last)
			return false;
		uint32_t start = bytes_u32(data + at, false) & mask;
		uint8_t info = data[at + width];
		if (start < previous || (info & INFO_SIZE) == INFO_SIZE)
			return false;
		if (start > offset) {
			*next = start;
			break;
		}
		previous = start;
		at_found = at;
		at += width + 1 + (sframe_row_words(info) << (info >> 5 & 3));
	}
	if (at_found == none)
		return false;
	*found = (struct sframe_row){ previous, data[at_found + width], at_found,
		                      at_found + width + 1 };
	return true;
}

/*
 * Accept a damaged row that starts past `offset`: only its start is needed, as the end of the row
 * in force. Clear the fault in that case and return true.
 */
static bool later_row_is_damaged(struct sframe_rows *rows, uint64_t offset, uint64_t *next)
{
	if (rows->fault.status == CAIRN_OK || rows->previous <= offset)
		return false;
	*next = rows->previous;
	rows->fault.status = CAIRN_OK;
	return true;
}

bool sframe_find_row(struct sframe_rows *rows, uint64_t offset, struct sframe_row *found,
                     uint64_t *next)
{
	struct sframe_row row;
	bool any = false;

	if (find_row_fast(rows, offset, found, next))
		return true;
	for (*next = UINT64_MAX; sframe_next_row(rows, &row); any = true) {
		if (row.start > offset) {
			*next = row.start;
			break;
		}
		*found = row;
	}
	return any && (rows->fault.status == CAIRN_OK || later_row_is_damaged(rows, offset, next));
}
