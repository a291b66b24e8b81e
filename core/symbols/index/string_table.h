/* SPDX-License-Identifier: MIT */
/*
 * The string table of a symbfile in an array, so that references are one step.  The texts stay in
 * the file; a new table replaces them all.
 *
 *	struct symbfile_string_table texts = { 0 };
 *	if (record.kind == SYMBFILE_TABLE)
 *		status = symbfile_string_table_load(&texts, &record);
 *	... symbfile_string_table_of(&texts, &record.range.function)
 *	symbfile_string_table_finish(&texts);
 */
#ifndef CAIRN_SYMBOLS_INDEX_STRING_TABLE_H
#define CAIRN_SYMBOLS_INDEX_STRING_TABLE_H

#include "formats/symbfile/symbfile.h"

struct symbfile_string_table {
	struct cairn_bytes *text;
	size_t count, room;
};

/* NO_MEMORY, and an empty table, when memory is short. */
CAIRN_MUST_USE enum cairn_status symbfile_string_table_load(struct symbfile_string_table *texts,
                                                            const struct symbfile_record *table);
void symbfile_string_table_finish(struct symbfile_string_table *texts);

static inline struct cairn_bytes symbfile_string_table_at(const struct symbfile_string_table *texts,
                                                          uint32_t index)
{
	if (index >= texts->count)
		return (struct cairn_bytes){ (const uint8_t *)"", 0 };
	return texts->text[index];
}

/* Empty when it is absent, too. */
static inline struct cairn_bytes symbfile_string_table_of(const struct symbfile_string_table *texts,
                                                          const struct symbfile_text *text)
{
	if (text->kind == SYMBFILE_REF)
		return symbfile_string_table_at(texts, text->value);
	if (text->kind == SYMBFILE_INLINE)
		return (struct cairn_bytes){ text->data, text->value };
	return (struct cairn_bytes){ (const uint8_t *)"", 0 };
}

#endif
