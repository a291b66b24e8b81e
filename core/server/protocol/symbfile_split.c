/* SPDX-License-Identifier: MIT */
/*
 * Finds boundaries by adding up the size of a part: its records and each string that it uses. When
 * the sum exceeds the limit, the part ends at the last boundary, and reading resumes there.
 */
#include "symbfile_split.h"

#include "base/memory.h"

#include "symbfile_split_strings.h"
#include "upload_parts.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST_CUTS = 16,
	TEXT_BLANK = 2,  /* bytes of an empty string in a table */
	TEXT_EXTRA = 4,  /* additional bytes for the length of a long string */
	FRAME_EXTRA = 24 /* a table's frame, and an address that becomes absolute */
};

bool symbfile_split_strings_reset(struct symbfile_split *split, uint32_t count)
{
	size_t size = (size_t)count / 8 + 1;

	if (!array_grow(&split->used, &split->used_room, size, 1))
		return false;
	memset(split->used, 0, size);
	return true;
}

/* Mark a string as used. The reader has checked the index against the table. */
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

void symbfile_split_strings_use(struct symbfile_split *split, const struct symbfile_record *record,
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

/* State of the pass over the file, for the current part. */
struct plan {
	struct symbfile_split *split;
	struct symbfile_string_table texts;
	struct symbfile_split_cut at, border; /* `border`: last boundary */
	bool has_border, has_record;
	uint64_t limit, size;
	uint32_t highest; /* largest string index used, plus one */
};

static bool add_cut(struct symbfile_split *split, const struct symbfile_split_cut *cut)
{
	if (!array_grow_from(&split->cuts, &split->room, (size_t)split->count + 1,
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

/* Begin a part at plan->at with the string table in effect there. */
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

/* Add the record between `before` and plan->at.cursor to the part. */
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
