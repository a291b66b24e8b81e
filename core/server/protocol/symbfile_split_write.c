/* SPDX-License-Identifier: MIT */
/*
 * Builds one part: the header, then each string table in effect with the strings that are used, and
 * its records. A part is built twice, the first time to measure it.
 */
#include "symbfile_split.h"

#include "symbfile_split_strings.h"

#include "base/invariant.h"
#include "base/wire.h"
#include "formats/symbfile_write.h"

#include <stdlib.h>

/* Field numbers of addresses in records. */
enum {
	FIELD_DELTA = 1,
	FIELD_RANGE_VA = 12,
	FIELD_PAD_VA = 5,
};

struct part {
	struct symbfile_split *split;
	struct sink out;
	size_t end;
	bool has_address;
	enum cairn_status status;
};

static uint32_t address_field(const struct symbfile_record *record)
{
	return record->kind == SYMBFILE_RANGE ? FIELD_RANGE_VA : FIELD_PAD_VA;
}

/* Copy all fields of a body except addresses. The reader has validated the body. */
static void write_other_fields(struct sink *out, const struct symbfile_record *record)
{
	const uint8_t *at = record->body.data, *end = at + record->body.size, *field = at;
	uint32_t number;
	enum wire_type type;

	while (at < end && wire_key(&at, end, &number, &type) &&
	       wire_skip(&at, end, number, type)) {
		bool address = number == FIELD_DELTA || number == address_field(record);
		if (!address)
			sink_bytes(out, field, (size_t)(at - field));
		field = at;
	}
}

static void write_absolute_body(struct sink *out, const struct symbfile_record *record)
{
	bool range = record->kind == SYMBFILE_RANGE;

	wire_put_number(out, address_field(record),
	                range ? record->range.start : record->pad.address);
	write_other_fields(out, record);
}

/*
 * Write the part's first record with an absolute address, because it must not be relative to a
 * record of another part.
 */
static void write_absolute_record(struct part *part, const struct symbfile_record *record)
{
	struct sink body = { 0 };

	write_absolute_body(&body, record);
	if (body.size > SYMBFILE_MESSAGE_MAX)
		part->status = CAIRN_UNSUPPORTED;
	wire_put_varint(&part->out, body.size);
	wire_put_varint(&part->out, record->kind);
	write_absolute_body(&part->out, record);
	part->has_address = true;
}

struct table {
	struct cairn_bytes *texts;
	uint32_t count; /* one past the last used string */
};

static void extend_table_count(void *context, uint32_t index)
{
	struct table *table = context;

	if (index >= table->count)
		table->count = index + 1;
}

/* Write the string table of a segment that begins at `cut`. Unused strings become empty. */
static bool write_segment_table(struct part *part, const struct symbfile_split_cut *cut)
{
	struct symbfile cursor = cut->cursor;
	struct symbfile_string_table texts = { 0 };
	struct symbfile_record record;
	struct table table = { 0 };

	if (!symbfile_split_strings_reset(part->split, cut->table.table.count) ||
	    symbfile_string_table_load(&texts, &cut->table) != CAIRN_OK)
		return false;
	while (cursor.at < part->end && symbfile_next(&cursor, &record) &&
	       record.kind != SYMBFILE_TABLE)
		symbfile_split_strings_use(part->split, &record, extend_table_count, &table);
	for (uint32_t i = 0; i < table.count; i++)
		if (!symbfile_split_strings_has(part->split, i))
			texts.text[i].size = 0;
	if (table.count > 0 &&
	    symbfile_put_table(&part->out, texts.text, table.count) != SYMBFILE_VALID)
		part->status = CAIRN_UNSUPPORTED;
	symbfile_string_table_finish(&texts);
	return true;
}

/* Copy the unknown messages before a record. */
static void copy_bytes_between(struct part *part, size_t from, size_t to)
{
	if (from < part->split->header)
		from = part->split->header;
	if (from < to)
		sink_bytes(&part->out, part->split->file.data + from, to - from);
}

/*
 * Write the records up to the next string table. Returns true if there is one, with cut->cursor
 * after it.
 */
static bool write_segment_records(struct part *part, struct symbfile_split_cut *cut)
{
	struct symbfile_record record;
	size_t from = cut->cursor.at;

	for (; cut->cursor.at < part->end; from = cut->cursor.at) {
		if (!symbfile_next(&cut->cursor, &record))
			break;
		copy_bytes_between(part, from, record.offset);
		if (record.kind == SYMBFILE_TABLE) {
			cut->table = record;
			return true;
		}
		if (part->has_address)
			copy_bytes_between(part, record.offset, cut->cursor.at);
		else
			write_absolute_record(part, &record);
	}
	copy_bytes_between(part, from, part->end);
	return false;
}

static bool write_split_part(struct part *part, uint32_t index)
{
	struct symbfile_split_cut cut = part->split->cuts[index];
	bool more = true;

	part->has_address = false;
	sink_bytes(&part->out, part->split->file.data, part->split->header);
	while (more) {
		if (!write_segment_table(part, &cut))
			return false;
		more = write_segment_records(part, &cut);
	}
	return true;
}

static bool reserve_part_bytes(struct symbfile_split *split, size_t size)
{
	if (size <= split->part_room)
		return true;
	uint8_t *grown = realloc(split->part, size);
	if (!grown)
		return false;
	split->part = grown;
	split->part_room = size;
	return true;
}

enum cairn_status symbfile_split_part(struct symbfile_split *split, uint32_t index,
                                      struct cairn_bytes *bytes)
{
	INVARIANT(index < split->count);
	struct part part = { .split = split, .end = split->file.size };

	if (split->count == 1) {
		*bytes = split->file;
		return CAIRN_OK;
	}
	if (index + 1 < split->count)
		part.end = split->cuts[index + 1].cursor.at;
	if (!write_split_part(&part, index) || !reserve_part_bytes(split, part.out.size))
		return CAIRN_NO_MEMORY;
	if (part.status != CAIRN_OK)
		return part.status;
	part.out = sink_open(split->part, split->part_room);
	if (!write_split_part(&part, index))
		return CAIRN_NO_MEMORY;
	*bytes = (struct cairn_bytes){ split->part, part.out.size };
	return CAIRN_OK;
}
