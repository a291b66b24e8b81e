/* SPDX-License-Identifier: MIT */
/* Encodes symbfiles. docs/formats/symbfile.md describes the layout. */
#include "symbfile_write.h"

#include "base/wire.h"

/*
 * maximum size of a body that is written in one pass; longer bodies are measured before they are
 * written
 */
enum { SMALL_BODY = 512 };

static void write_frame_head(struct sink *out, size_t size, enum symbfile_kind kind)
{
	wire_put_varint(out, size);
	wire_put_varint(out, kind);
}

void symbfile_put_start(struct sink *out)
{
	sink_bytes(out, (const uint8_t *)SYMBFILE_MAGIC, SYMBFILE_MAGIC_SIZE);
	write_frame_head(out, 0, SYMBFILE_HEADER);
}

enum symbfile_code symbfile_put_table(struct sink *out, const struct cairn_bytes *texts,
                                      size_t count)
{
	uint64_t size = 0;

	for (size_t i = 0; i < count; i++) {
		if (texts[i].size > SYMBFILE_MESSAGE_MAX)
			return SYMBFILE_MESSAGE_TOO_BIG;
		size += 1 + wire_varint_size(texts[i].size) + texts[i].size;
	}
	if (size > SYMBFILE_MESSAGE_MAX)
		return SYMBFILE_MESSAGE_TOO_BIG;
	write_frame_head(out, (size_t)size, SYMBFILE_TABLE);
	for (size_t i = 0; i < count; i++) {
		wire_put_bytes(out, 1, texts[i]);
	}
	return SYMBFILE_VALID;
}

/*
 * Write the address relative to the previous one if the difference fits into a sint64, otherwise as
 * an absolute address.
 */
static void write_address_field(const struct symbfile_writer *writer, struct sink *out,
                                uint64_t address, unsigned absolute)
{
	bool back = address < writer->previous;
	uint64_t way = back ? writer->previous - address : address - writer->previous;

	if (writer->has_previous && way <= INT64_MAX)
		wire_put_number(out, 1, back ? way * 2 - 1 : way * 2);
	else
		wire_put_number(out, absolute, address);
}

static void write_text_field(struct sink *out, const struct symbfile_text *text, unsigned number,
                             unsigned ref_number)
{
	switch (text->kind) {
	case SYMBFILE_ABSENT:
		break;
	case SYMBFILE_INLINE:
		wire_put_head(out, number, text->value);
		sink_bytes(out, text->data, text->value);
		break;
	case SYMBFILE_REF:
		wire_put_number(out, ref_number, text->value);
		break;
	}
}

static uint32_t compute_row_delta(const struct symbfile_line_rows *lines, size_t i)
{
	return (uint32_t)(lines->row[i].offset - (i ? lines->row[i - 1].offset : 0));
}

static void write_line_table(struct sink *out, const struct symbfile_line_rows *lines)
{
	size_t steps = 0, numbers = 0;

	for (size_t i = 0; i < lines->count; i++) {
		steps += wire_varint_size(compute_row_delta(lines, i));
		numbers += wire_varint_size(lines->row[i].line);
	}
	wire_put_key(out, 8, WIRE_BYTES);
	wire_put_varint(out,
	                2 + wire_varint_size(steps) + steps + wire_varint_size(numbers) + numbers);
	wire_put_key(out, 1, WIRE_BYTES);
	wire_put_varint(out, steps);
	for (size_t i = 0; i < lines->count; i++)
		wire_put_varint(out, compute_row_delta(lines, i));
	wire_put_key(out, 2, WIRE_BYTES);
	wire_put_varint(out, numbers);
	for (size_t i = 0; i < lines->count; i++)
		wire_put_varint(out, lines->row[i].line);
}

static void write_range_body(const struct symbfile_writer *writer, struct sink *out,
                             const struct symbfile_range *range,
                             const struct symbfile_line_rows *lines)
{
	write_address_field(writer, out, range->start, 12);
	if (range->length)
		wire_put_number(out, 2, range->length);
	write_text_field(out, &range->function, 3, 9);
	write_text_field(out, &range->file, 4, 10);
	if (range->call_line)
		wire_put_number(out, 5, range->call_line);
	write_text_field(out, &range->call_file, 6, 11);
	if (range->depth)
		wire_put_number(out, 7, range->depth);
	if (lines->count)
		write_line_table(out, lines);
}

static bool has_ascending_rows(const struct symbfile_line_rows *lines)
{
	uint64_t last = 0;

	for (size_t i = 0; i < lines->count; i++) {
		if (lines->row[i].offset < last || lines->row[i].offset - last > UINT32_MAX)
			return false;
		last = lines->row[i].offset;
	}
	return true;
}

static void set_previous_address(struct symbfile_writer *writer, uint64_t address)
{
	writer->previous = address;
	writer->has_previous = true;
}

enum symbfile_code symbfile_put_range(struct symbfile_writer *writer, struct sink *out,
                                      const struct symbfile_range *range,
                                      const struct symbfile_line_rows *lines)
{
	uint8_t small[SMALL_BODY];
	struct sink body = sink_open(small, sizeof(small));

	if (!has_ascending_rows(lines))
		return SYMBFILE_LINES_UNSORTED;
	write_range_body(writer, &body, range, lines);
	if (body.size > SYMBFILE_MESSAGE_MAX)
		return SYMBFILE_MESSAGE_TOO_BIG;
	write_frame_head(out, body.size, SYMBFILE_RANGE);
	if (sink_fits(&body))
		sink_bytes(out, small, body.size);
	else
		write_range_body(writer, out, range, lines);
	set_previous_address(writer, range->start);
	return SYMBFILE_VALID;
}

static uint32_t get_column_value(const struct symbfile_frame *frame, unsigned column)
{
	return column == 0 ? frame->function : column == 1 ? frame->file : frame->line;
}

static void write_pad_body(const struct symbfile_writer *writer, struct sink *out, uint64_t address,
                           const struct symbfile_pad_frames *frames)
{
	write_address_field(writer, out, address, 5);
	for (unsigned column = 0; column < SYMBFILE_COLUMNS && frames->count; column++) {
		size_t size = 0;
		for (size_t i = 0; i < frames->count; i++)
			size += wire_varint_size(get_column_value(&frames->frame[i], column));
		wire_put_key(out, 2 + column, WIRE_BYTES);
		wire_put_varint(out, size);
		for (size_t i = 0; i < frames->count; i++)
			wire_put_varint(out, get_column_value(&frames->frame[i], column));
	}
}

enum symbfile_code symbfile_put_pad(struct symbfile_writer *writer, struct sink *out,
                                    uint64_t address, const struct symbfile_pad_frames *frames)
{
	uint8_t small[SMALL_BODY];
	struct sink body = sink_open(small, sizeof(small));

	write_pad_body(writer, &body, address, frames);
	if (body.size > SYMBFILE_MESSAGE_MAX)
		return SYMBFILE_MESSAGE_TOO_BIG;
	write_frame_head(out, body.size, SYMBFILE_PAD);
	if (sink_fits(&body))
		sink_bytes(out, small, body.size);
	else
		write_pad_body(writer, out, address, frames);
	set_previous_address(writer, address);
	return SYMBFILE_VALID;
}
