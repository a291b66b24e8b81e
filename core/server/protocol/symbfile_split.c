/* SPDX-License-Identifier: MIT */
/*
 * Splits a symbfile into parts that are complete symbfiles.
 *
 * To find the boundaries, symbfile_split_open() adds up the sizes of a part's records and of the
 * strings that they use, counting each string once. When the sum exceeds the limit, it ends the
 * part at the last possible boundary and continues reading there.
 */
#include "symbfile_split.h"

#include "upload.h"

#include "base/invariant.h"
#include "base/memory.h"
#include "base/wire.h"
#include "formats/symbfile_write.h"

#include <stdlib.h>
#include <string.h>

static bool symbfile_split_strings_has(const struct symbfile_split *split, uint32_t index)
{
	return split->used[index / 8] >> index % 8 & 1;
}

static bool symbfile_split_strings_reset(struct symbfile_split *split, uint32_t count)
{
	size_t size = (size_t)count / 8 + 1;

	if (!array_grow(&split->used, &split->used_capacity, size, 1))
		return false;
	memset(split->used, 0, size);
	return true;
}

/* Mark a string as used. symbfile_next() has checked that the table contains `index`. */
static void mark_text_used(struct symbfile_split *split, uint32_t index,
                           void (*see)(void *context, uint32_t index), void *context)
{
	if (symbfile_split_strings_has(split, index))
		return;
	split->used[index / 8] |= (uint8_t)(1u << index % 8);
	see(context, index);
}

static void use_text(struct symbfile_split *split, const struct symbfile_text *text,
                     void (*see)(void *context, uint32_t index), void *context)
{
	if (text->kind == SYMBFILE_REF)
		mark_text_used(split, text->value, see, context);
}

/* Call `see` for each string to which the record refers, unless the string has been used before. */
static void symbfile_split_strings_use(struct symbfile_split *split,
                                       const struct symbfile_record *record,
                                       void (*see)(void *context, uint32_t index), void *context)
{
	struct symbfile_frame frame;

	if (record->kind == SYMBFILE_RANGE) {
		use_text(split, &record->range.function, see, context);
		use_text(split, &record->range.file, see, context);
		use_text(split, &record->range.call_file, see, context);
	} else if (record->kind == SYMBFILE_PAD) {
		struct symbfile_frames frames = symbfile_frames(record);
		while (symbfile_next_frame(&frames, &frame)) {
			mark_text_used(split, frame.function, see, context);
			mark_text_used(split, frame.file, see, context);
		}
	}
}

enum {
	FIELD_DELTA = 1,
	FIELD_RANGE_VA = 12,
	FIELD_PAD_VA = 5,
};

/*
 * Builds one part: the header, then each string table with the strings that the part uses, followed
 * by the table's records. A part is built twice, the first time to measure it.
 */
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

/* Copy a record's fields except addresses. The reader has validated the record. */
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
 * Write the part's first record with an absolute address, because an address relative to a record
 * in another part would be meaningless.
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
	/* number of strings in the part's table: the index of the last used string, plus one */
	uint32_t count;
};

static void extend_table_count(void *context, uint32_t index)
{
	struct table *table = context;

	if (index >= table->count)
		table->count = index + 1;
}

/* Write the string table for the records that start at `cut`. Unused strings become empty. */
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

/* Copy the unknown messages that precede a record. */
static void copy_bytes_between(struct part *part, size_t from, size_t to)
{
	if (from < part->split->header)
		from = part->split->header;
	if (from < to)
		sink_bytes(&part->out, part->split->file.data + from, to - from);
}

/*
 * Write the records up to the next string table. Returns true and moves cut->cursor past the next
 * table if there is one.
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
	if (size <= split->part_capacity)
		return true;
	uint8_t *grown = realloc(split->part, size);
	if (!grown)
		return false;
	split->part = grown;
	split->part_capacity = size;
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
	part.out = sink_open(split->part, split->part_capacity);
	if (!write_split_part(&part, index))
		return CAIRN_NO_MEMORY;
	*bytes = (struct cairn_bytes){ split->part, part.out.size };
	return CAIRN_OK;
}

enum {
	FIRST_CUTS = 16,
	TEXT_BLANK = 2, /* size of an empty string in a table */
	TEXT_EXTRA = 4, /* maximum number of additional length bytes for a long string */
	/*
	 * maximum number of bytes for a table's framing and for the part's first address, which
	 * becomes absolute
	 */
	FRAME_EXTRA = 24
};

/* State of the search for the end of the current part. */
struct plan {
	struct symbfile_split *split;
	struct symbfile_string_table texts;
	/* `at` is the current position, `border` the last possible boundary before it */
	struct symbfile_split_cut at, border;
	bool has_border, has_record;
	uint64_t limit, size;
	uint32_t highest; /* highest index of a used string, plus one */
};

static bool add_cut(struct symbfile_split *split, const struct symbfile_split_cut *cut)
{
	if (!array_grow_from(&split->cuts, &split->capacity, (size_t)split->count + 1,
	                     sizeof(*split->cuts), FIRST_CUTS))
		return false;
	split->cuts[split->count++] = *cut;
	return true;
}

static bool load_plan_table(struct plan *plan, const struct symbfile_record *table)
{
	plan->at.table = *table;
	plan->size += FRAME_EXTRA;
	plan->highest = 0;
	return symbfile_string_table_load(&plan->texts, table) == CAIRN_OK &&
	       symbfile_split_strings_reset(plan->split, table->table.count);
}

static bool begin_part(struct plan *plan)
{
	struct symbfile_record table = plan->at.table;

	plan->size = plan->split->header;
	plan->has_border = false;
	plan->has_record = false;
	return add_cut(plan->split, &plan->at) && load_plan_table(plan, &table);
}

static void count_text(void *context, uint32_t index)
{
	struct plan *plan = context;

	plan->size += symbfile_string_table_at(&plan->texts, index).size + TEXT_EXTRA;
	if (index >= plan->highest) {
		plan->size += TEXT_BLANK * (uint64_t)(index + 1 - plan->highest);
		plan->highest = index + 1;
	}
}

static bool is_border(const struct symbfile_record *record)
{
	return record->kind == SYMBFILE_PAD ||
	       (record->kind == SYMBFILE_RANGE && record->range.depth == 0);
}

/* Add the record between `before` and plan->at.cursor to the size of the part. */
static bool plan_record(struct plan *plan, const struct symbfile_split_cut *before,
                        const struct symbfile_record *record)
{
	if (record->kind == SYMBFILE_TABLE)
		return load_plan_table(plan, record);
	if (plan->has_record && is_border(record)) {
		plan->border = *before;
		plan->has_border = true;
	}
	plan->has_record = true;
	plan->size += plan->at.cursor.at - before->cursor.at;
	symbfile_split_strings_use(plan->split, record, count_text, plan);
	if (plan->size <= plan->limit || !plan->has_border)
		return true;
	plan->at = plan->border;
	return begin_part(plan);
}

static enum cairn_status find_cuts(struct plan *plan, struct cairn_fault *fault)
{
	struct symbfile_record record;
	struct symbfile_split_cut before;

	if (!begin_part(plan))
		return CAIRN_NO_MEMORY;
	for (before = plan->at; symbfile_next(&plan->at.cursor, &record); before = plan->at) {
		if (!plan_record(plan, &before, &record))
			return CAIRN_NO_MEMORY;
		if (plan->split->count > SYMBFILE_SPLIT_PARTS_MAX) {
			*fault = (struct cairn_fault){
				CAIRN_UNSUPPORTED, record.offset,
				"the symbfile needs more parts than the protocol can number"
			};
			return fault->status;
		}
	}
	if (plan->at.cursor.code == SYMBFILE_VALID)
		return CAIRN_OK;
	*fault = symbfile_fault(&plan->at.cursor);
	return fault->status;
}

enum cairn_status symbfile_split_open(struct cairn_bytes file, uint64_t part_size,
                                      struct symbfile_split *split, struct cairn_fault *fault)
{
	static const uint8_t nothing[1];
	struct plan plan = { .split = split, .limit = part_size };

	*split = (struct symbfile_split){ .file = file, .header = upload_parts_header(file) };
	plan.at.cursor = symbfile_open(file);
	plan.at.table.kind = SYMBFILE_TABLE;
	plan.at.table.body = (struct cairn_bytes){ nothing, 0 };
	enum cairn_status status = find_cuts(&plan, fault);
	symbfile_string_table_finish(&plan.texts);
	if (status == CAIRN_NO_MEMORY)
		*fault = (struct cairn_fault){ status, 0, "out of memory" };
	if (status != CAIRN_OK)
		symbfile_split_finish(split);
	return status;
}

void symbfile_split_finish(struct symbfile_split *split)
{
	free(split->cuts);
	free(split->used);
	free(split->part);
	*split = (struct symbfile_split){ .count = 0 };
}
