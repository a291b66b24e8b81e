/* SPDX-License-Identifier: MIT */
/*
 * Columns of numbers.  Writers give each in one packed piece; protocol buffers allow any number of
 * pieces and single numbers between them, and of the message around them too.  Such odd columns
 * are checked like others when the record is read, and searched for again when they are used.
 */
#include "record.h"
#include "wire.h"

enum { FIELD_LINES = 8, FIELD_OFFSET = 1, FIELD_LINE = 2 };
enum { FIELD_PAD_FUNCTION = 2, FIELD_PAD_FILE = 3, FIELD_PAD_LINE = 4 };

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

static struct symbfile_column column_at(const struct symbfile_record *record,
                                        const struct symbfile_columns *columns, unsigned index,
                                        uint8_t number, uint8_t outer)
{
	const uint8_t *begin = record->body.data, *end = begin + record->body.size;

	if (columns->count == 0)
		return (struct symbfile_column){ .number = number };
	if (!columns->odd)
		return (struct symbfile_column){ .at = columns->run[index],
			                         .end = columns->end[index] };
	if (outer)
		return (struct symbfile_column){
			.outer = begin, .outer_end = end, .number = number, .outer_number = outer
		};
	return (struct symbfile_column){ .fields = begin, .field_end = end, .number = number };
}

/* Goes to the next piece with this number; its bytes, or those of a single number. */
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

/* The next piece of an odd column; false behind the last. */
static bool refill(struct symbfile_column *c)
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

bool symbfile_next_value(struct symbfile_column *column, uint32_t *value)
{
	uint64_t wide;

	while (column->at == column->end)
		if (!refill(column))
			return false;
	if (!wire_varint(&column->at, column->end, &wide))
		return false;
	*value = (uint32_t)wide;
	return true;
}

struct symbfile_rows symbfile_rows(const struct symbfile_record *record)
{
	const struct symbfile_columns *lines = &record->range.lines;

	return (struct symbfile_rows){
		.offset = column_at(record, lines, 0, FIELD_OFFSET, FIELD_LINES),
		.line = column_at(record, lines, 1, FIELD_LINE, FIELD_LINES),
	};
}

bool symbfile_next_row(struct symbfile_rows *rows, struct symbfile_row *row)
{
	uint32_t step, line;

	if (!symbfile_next_value(&rows->offset, &step) || !symbfile_next_value(&rows->line, &line))
		return false;
	rows->sum += step;
	*row = (struct symbfile_row){ rows->sum, line };
	return true;
}

struct symbfile_frames symbfile_frames(const struct symbfile_record *record)
{
	const struct symbfile_columns *frames = &record->pad.frames;

	return (struct symbfile_frames){
		.function = column_at(record, frames, 0, FIELD_PAD_FUNCTION, 0),
		.file = column_at(record, frames, 1, FIELD_PAD_FILE, 0),
		.line = column_at(record, frames, 2, FIELD_PAD_LINE, 0),
	};
}

bool symbfile_next_frame(struct symbfile_frames *frames, struct symbfile_frame *frame)
{
	struct symbfile_frame f;

	if (!symbfile_next_value(&frames->function, &f.function) ||
	    !symbfile_next_value(&frames->file, &f.file) ||
	    !symbfile_next_value(&frames->line, &f.line))
		return false;
	*frame = f;
	return true;
}

bool symbfile_pad_refers(const struct symbfile_record *record, uint32_t strings)
{
	struct symbfile_frames frames = symbfile_frames(record);
	struct symbfile_frame frame;

	while (symbfile_next_frame(&frames, &frame))
		if (frame.function >= strings || frame.file >= strings)
			return false;
	return true;
}
