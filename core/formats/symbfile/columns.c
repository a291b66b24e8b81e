/* SPDX-License-Identifier: MIT */
/*
 * Reads columns of numbers. Writers write each column as one packed field. Protocol Buffers also
 * allow any number of packed and unpacked fields, and several fields for the enclosing message.
 * Such `odd` columns are checked when the record is read, and located again when they are used.
 */
#include "record.h"

#include "base/wire.h"

/*
 * Field numbers: the line table of a range, and the first column of each table; the other columns
 * follow in order.
 */
enum { FIELD_LINES = 8, FIELD_OFFSET = 1, FIELD_PAD_FUNCTION = 2 };

bool symbfile_read_column(const uint8_t **at, const uint8_t *end, bool packed,
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
 * Initialize a column. The other fields are read only if `fields` or `outer` is set, so they are
 * left uninitialized; this runs for every record.
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
 * Start a column that is in several pieces: in the record itself for pads, in its line tables for
 * ranges.
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
 * Find the next field with this number. Set *piece to its bytes, or to the encoding of a single
 * number.
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

bool symbfile_pad_refers(const struct symbfile_record *record, uint32_t strings)
{
	struct symbfile_frames frames;
	struct symbfile_frame frame;

	symbfile_frames_begin(&frames, record);
	while (symbfile_next_frame(&frames, &frame))
		if (frame.function >= strings || frame.file >= strings)
			return false;
	return true;
}
