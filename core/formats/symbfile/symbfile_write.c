/* SPDX-License-Identifier: MIT */
#include "symbfile_write.h"

#include "wire.h"

enum { SMALL_BODY = 512 }; /* bytes; longer ones are measured first, and then written */

static void put_wide_varint(struct sink *out, uint64_t value)
{
	while (value >= 0x80) {
		sink_u8(out, (uint8_t)(value | 0x80));
		value >>= 7;
	}
	sink_u8(out, (uint8_t)value);
}

/* Keys and most numbers have one byte. */
static inline void put_varint(struct sink *out, uint64_t value)
{
	if (value < 0x80)
		sink_u8(out, (uint8_t)value);
	else
		put_wide_varint(out, value);
}

static size_t varint_size(uint64_t value)
{
	size_t size = 1;

	for (; value >= 0x80; value >>= 7)
		size++;
	return size;
}

static inline void put_key(struct sink *out, unsigned number, enum wire_type type)
{
	put_varint(out, number << 3 | (unsigned)type);
}

static inline void put_number(struct sink *out, unsigned number, uint64_t value)
{
	put_key(out, number, WIRE_VARINT);
	put_varint(out, value);
}

static void put_frame(struct sink *out, size_t size, enum symbfile_kind kind)
{
	put_varint(out, size);
	put_varint(out, kind);
}

void symbfile_put_start(struct sink *out)
{
	sink_bytes(out, (const uint8_t *)SYMBFILE_MAGIC, SYMBFILE_MAGIC_SIZE);
	put_frame(out, 0, SYMBFILE_HEADER);
}

enum symbfile_code symbfile_put_table(struct sink *out, const struct cairn_bytes *texts,
                                      size_t count)
{
	uint64_t size = 0;

	for (size_t i = 0; i < count; i++) {
		if (texts[i].size > SYMBFILE_MESSAGE_MAX)
			return SYMBFILE_MESSAGE_TOO_BIG;
		size += 1 + varint_size(texts[i].size) + texts[i].size;
	}
	if (size > SYMBFILE_MESSAGE_MAX)
		return SYMBFILE_MESSAGE_TOO_BIG;
	put_frame(out, (size_t)size, SYMBFILE_TABLE);
	for (size_t i = 0; i < count; i++) {
		put_key(out, 1, WIRE_BYTES);
		put_varint(out, texts[i].size);
		sink_bytes(out, texts[i].data, texts[i].size);
	}
	return SYMBFILE_SOUND;
}

/* The address by its distance from the last one, where 63 bits and a sign hold that. */
static void put_address(const struct symbfile_writer *writer, struct sink *out, uint64_t address,
                        unsigned absolute)
{
	bool back = address < writer->previous;
	uint64_t way = back ? writer->previous - address : address - writer->previous;

	if (writer->has_previous && way <= INT64_MAX)
		put_number(out, 1, back ? way * 2 - 1 : way * 2);
	else
		put_number(out, absolute, address);
}

static void put_text(struct sink *out, const struct symbfile_text *text, unsigned number,
                     unsigned ref_number)
{
	switch (text->kind) {
	case SYMBFILE_ABSENT:
		break;
	case SYMBFILE_INLINE:
		put_key(out, number, WIRE_BYTES);
		put_varint(out, text->value);
		sink_bytes(out, text->data, text->value);
		break;
	case SYMBFILE_REF:
		put_number(out, ref_number, text->value);
		break;
	}
}

static uint32_t step(const struct symbfile_line_rows *lines, size_t i)
{
	return (uint32_t)(lines->row[i].offset - (i ? lines->row[i - 1].offset : 0));
}

static void put_lines(struct sink *out, const struct symbfile_line_rows *lines)
{
	size_t steps = 0, numbers = 0;

	for (size_t i = 0; i < lines->count; i++) {
		steps += varint_size(step(lines, i));
		numbers += varint_size(lines->row[i].line);
	}
	put_key(out, 8, WIRE_BYTES);
	put_varint(out, 2 + varint_size(steps) + steps + varint_size(numbers) + numbers);
	put_key(out, 1, WIRE_BYTES);
	put_varint(out, steps);
	for (size_t i = 0; i < lines->count; i++)
		put_varint(out, step(lines, i));
	put_key(out, 2, WIRE_BYTES);
	put_varint(out, numbers);
	for (size_t i = 0; i < lines->count; i++)
		put_varint(out, lines->row[i].line);
}

static void put_range_body(const struct symbfile_writer *writer, struct sink *out,
                           const struct symbfile_range *range,
                           const struct symbfile_line_rows *lines)
{
	put_address(writer, out, range->start, 12);
	if (range->length)
		put_number(out, 2, range->length);
	put_text(out, &range->function, 3, 9);
	put_text(out, &range->file, 4, 10);
	if (range->call_line)
		put_number(out, 5, range->call_line);
	put_text(out, &range->call_file, 6, 11);
	if (range->depth)
		put_number(out, 7, range->depth);
	if (lines->count)
		put_lines(out, lines);
}

static bool ascends(const struct symbfile_line_rows *lines)
{
	uint64_t last = 0;

	for (size_t i = 0; i < lines->count; i++) {
		if (lines->row[i].offset < last || lines->row[i].offset - last > UINT32_MAX)
			return false;
		last = lines->row[i].offset;
	}
	return true;
}

static void advance(struct symbfile_writer *writer, uint64_t address)
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

	if (!ascends(lines))
		return SYMBFILE_LINES_UNSORTED;
	put_range_body(writer, &body, range, lines);
	if (body.size > SYMBFILE_MESSAGE_MAX)
		return SYMBFILE_MESSAGE_TOO_BIG;
	put_frame(out, body.size, SYMBFILE_RANGE);
	if (sink_fits(&body))
		sink_bytes(out, small, body.size);
	else
		put_range_body(writer, out, range, lines);
	advance(writer, range->start);
	return SYMBFILE_SOUND;
}

/* Which of a frame's three numbers; columns are written one after the other. */
static uint32_t value_of(const struct symbfile_frame *frame, unsigned column)
{
	return column == 0 ? frame->function : column == 1 ? frame->file : frame->line;
}

static void put_pad_body(const struct symbfile_writer *writer, struct sink *out, uint64_t address,
                         const struct symbfile_pad_frames *frames)
{
	put_address(writer, out, address, 5);
	for (unsigned column = 0; column < SYMBFILE_COLUMNS && frames->count; column++) {
		size_t size = 0;
		for (size_t i = 0; i < frames->count; i++)
			size += varint_size(value_of(&frames->frame[i], column));
		put_key(out, 2 + column, WIRE_BYTES);
		put_varint(out, size);
		for (size_t i = 0; i < frames->count; i++)
			put_varint(out, value_of(&frames->frame[i], column));
	}
}

enum symbfile_code symbfile_put_pad(struct symbfile_writer *writer, struct sink *out,
                                    uint64_t address, const struct symbfile_pad_frames *frames)
{
	uint8_t small[SMALL_BODY];
	struct sink body = sink_open(small, sizeof(small));

	put_pad_body(writer, &body, address, frames);
	if (body.size > SYMBFILE_MESSAGE_MAX)
		return SYMBFILE_MESSAGE_TOO_BIG;
	put_frame(out, body.size, SYMBFILE_PAD);
	if (sink_fits(&body))
		sink_bytes(out, small, body.size);
	else
		put_pad_body(writer, out, address, frames);
	advance(writer, address);
	return SYMBFILE_SOUND;
}
