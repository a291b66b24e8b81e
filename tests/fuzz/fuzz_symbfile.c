/* SPDX-License-Identifier: MIT */
/*
 * A symbfile of any bytes, read to its end, over damaged records as well.  Always:
 *   - texts and faults lie in the file, references in the table;
 *   - columns give as many values as were counted, the same as a record that is read again;
 *   - the straight road for usual ranges and the one for all records say the same;
 *   - what was read, written and read again is what it was.
 */
#include "fuzz.h"

#include "formats/symbfile_write.h"
#include "symbols/index.h"

#include <stdlib.h>
#include <string.h>

struct reading {
	struct cairn_bytes bytes;
	struct symbfile_string_table texts;
	struct sink out;
	struct symbfile_writer writer;
};

static void check_inside(const struct reading *r, struct cairn_bytes text)
{
	const uint8_t *end = r->bytes.data + r->bytes.size;

	ALWAYS(text.data >= r->bytes.data && text.data <= end);
	ALWAYS(text.size <= (size_t)(end - text.data));
}

static void check_text(const struct reading *r, const struct symbfile_text *text)
{
	if (text->kind == SYMBFILE_REF)
		ALWAYS(text->value < r->texts.count);
	if (text->kind != SYMBFILE_ABSENT)
		check_inside(r, symbfile_string_table_of(&r->texts, text));
}

static bool same_text(const struct symbfile_text *a, const struct symbfile_text *b)
{
	return a->kind == b->kind && a->value == b->value &&
	       (a->kind != SYMBFILE_INLINE || memcmp(a->data, b->data, a->value) == 0);
}

/* The bytes of one record, put behind a start and an absolute address, must read as the same. */
static bool reread(struct cairn_bytes bytes, struct symbfile_record *again)
{
	struct symbfile file = symbfile_open(bytes);

	file.strings = UINT32_MAX;
	return symbfile_next(&file, again);
}

static void write_range(struct reading *r, const struct symbfile_record *record)
{
	struct symbfile_row *row = calloc(record->range.lines.count + 1, sizeof(*row)), other;
	struct symbfile_rows rows = symbfile_rows(record);
	struct symbfile_line_rows lines = { row, 0 };
	struct symbfile_writer writer = { .has_previous = false };
	struct symbfile_record again;

	ALWAYS(row);
	while (symbfile_next_row(&rows, &row[lines.count]))
		ALWAYS(++lines.count <= record->range.lines.count);
	ALWAYS(lines.count == record->range.lines.count);
	r->out.size = 0;
	symbfile_put_start(&r->out);
	ALWAYS(symbfile_put_range(&writer, &r->out, &record->range, &lines) == SYMBFILE_VALID);
	ALWAYS(sink_fits(&r->out));
	ALWAYS(reread((struct cairn_bytes){ r->out.data, r->out.size }, &again));
	const struct symbfile_range *a = &record->range, *b = &again.range;
	ALWAYS(a->start == b->start && a->length == b->length && a->depth == b->depth);
	ALWAYS(a->call_line == b->call_line && same_text(&a->function, &b->function));
	ALWAYS(same_text(&a->file, &b->file) && same_text(&a->call_file, &b->call_file));
	rows = symbfile_rows(&again);
	for (size_t i = 0; i < lines.count; i++)
		ALWAYS(symbfile_next_row(&rows, &other) && other.offset == row[i].offset &&
		       other.line == row[i].line);
	ALWAYS(!symbfile_next_row(&rows, &other));
	free(row);
}

static void write_pad(struct reading *r, const struct symbfile_record *record)
{
	struct symbfile_frame *frame = calloc(record->pad.frames.count + 1, sizeof(*frame)), other;
	struct symbfile_frames frames = symbfile_frames(record);
	struct symbfile_pad_frames all = { frame, 0 };
	struct symbfile_writer writer = { .has_previous = false };
	struct symbfile_record again;

	ALWAYS(frame);
	while (symbfile_next_frame(&frames, &other)) {
		ALWAYS(other.function < r->texts.count && other.file < r->texts.count);
		ALWAYS(all.count < record->pad.frames.count);
		frame[all.count++] = other;
	}
	ALWAYS(all.count == record->pad.frames.count);
	r->out.size = 0;
	symbfile_put_start(&r->out);
	ALWAYS(symbfile_put_pad(&writer, &r->out, record->pad.address, &all) == SYMBFILE_VALID);
	ALWAYS(sink_fits(&r->out));
	ALWAYS(reread((struct cairn_bytes){ r->out.data, r->out.size }, &again));
	ALWAYS(again.pad.address == record->pad.address && again.pad.frames.count == all.count);
	frames = symbfile_frames(&again);
	for (size_t i = 0; i < all.count; i++)
		ALWAYS(symbfile_next_frame(&frames, &other) &&
		       memcmp(&other, &frame[i], sizeof(other)) == 0);
	free(frame);
}

static void check(struct reading *r, const struct symbfile_record *record)
{
	check_inside(r, record->body);
	switch (record->kind) {
	case SYMBFILE_TABLE:
		ALWAYS(symbfile_string_table_load(&r->texts, record) == CAIRN_OK);
		ALWAYS(r->texts.count == record->table.count);
		for (size_t i = 0; i < r->texts.count; i++)
			check_inside(r, r->texts.text[i]);
		break;
	case SYMBFILE_RANGE:
		check_text(r, &record->range.function);
		check_text(r, &record->range.file);
		check_text(r, &record->range.call_file);
		write_range(r, record);
		break;
	case SYMBFILE_PAD:
		write_pad(r, record);
		break;
	case SYMBFILE_HEADER:
		ALWAYS(false);
	}
}

static bool same_rows(const struct symbfile_record *a, const struct symbfile_record *b)
{
	struct symbfile_rows left = symbfile_rows(a), right = symbfile_rows(b);
	struct symbfile_row row, other;

	while (symbfile_next_row(&left, &row))
		if (!symbfile_next_row(&right, &other) || row.offset != other.offset ||
		    row.line != other.line)
			return false;
	return !symbfile_next_row(&right, &other);
}

static void compare(const struct symbfile_record *a, const struct symbfile_record *b)
{
	const struct symbfile_range *x = &a->range, *y = &b->range;

	ALWAYS(a->kind == b->kind && a->offset == b->offset);
	ALWAYS(a->body.data == b->body.data && a->body.size == b->body.size);
	if (a->kind != SYMBFILE_RANGE)
		return;
	ALWAYS(x->start == y->start && x->length == y->length && x->depth == y->depth);
	ALWAYS(x->call_line == y->call_line && same_text(&x->function, &y->function));
	ALWAYS(same_text(&x->file, &y->file) && same_text(&x->call_file, &y->call_file));
	ALWAYS(x->lines.count == y->lines.count && same_rows(a, b));
}

/*
 * The straight road is taken where bytes enough follow: here all the input has a long message of
 * an unknown type behind it.
 */
static void compare_roads(struct cairn_bytes input)
{
	enum { TAIL = 0x7f };
	uint8_t *bytes = calloc(1, input.size + 2 * (TAIL + 2));
	ALWAYS(bytes);
	memcpy(bytes, input.data, input.size);
	for (size_t at = input.size, i = 0; i < 2; i++, at += TAIL + 2)
		bytes[at] = bytes[at + 1] = TAIL;
	struct cairn_bytes all = { bytes, input.size + 2 * (TAIL + 2) };
	struct symbfile straight = symbfile_open(all), other = straight;
	struct symbfile_record record, again;

	do {
		bool more = true;
		while (more) {
			other.straight = false;
			more = symbfile_next(&straight, &record);
			ALWAYS(symbfile_next(&other, &again) == more);
			if (more)
				compare(&record, &again);
		}
		ALWAYS(straight.code == other.code && straight.offset == other.offset);
		ALWAYS(straight.at == other.at && straight.dropped == other.dropped);
	} while (straight.code != SYMBFILE_VALID && symbfile_resume(&straight) &&
	         symbfile_resume(&other));
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reading r = { .bytes = { data ? data : (const uint8_t *)"", size } };
	struct symbfile file = symbfile_open(r.bytes);
	struct symbfile_record record;
	size_t records = 0;

	compare_roads(r.bytes);
	/* a number is never longer than it was, but for an address that becomes absolute */
	r.out = sink_open(malloc(8 * size + 64), 8 * size + 64);
	ALWAYS(r.out.data);
	do {
		while (symbfile_next(&file, &record)) {
			ALWAYS(++records <= size);
			check(&r, &record);
		}
		ALWAYS(file.at <= size && file.offset <= size);
		if (file.code != SYMBFILE_VALID && file.code >= SYMBFILE_BAD_PROTOBUF)
			r.texts.count = file.strings < r.texts.count ? file.strings : r.texts.count;
	} while (file.code != SYMBFILE_VALID && symbfile_resume(&file));
	symbfile_string_table_finish(&r.texts);
	free(r.out.data);
	return 0;
}
