/* SPDX-License-Identifier: MIT */
/*
 * Loads the string table of a symbfile into an array, so that a reference is resolved in one step.
 * The strings themselves stay in the file. Loading another table replaces the previous one.
 *
 *	struct symbfile_string_table texts = { 0 };
 *	if (record.kind == SYMBFILE_TABLE)
 *		status = symbfile_string_table_load(&texts, &record);
 *	... symbfile_string_table_of(&texts, &record.range.function)
 *	symbfile_string_table_finish(&texts);
 */
#ifndef CAIRN_SYMBOLS_INDEX_STRING_TABLE_H
#define CAIRN_SYMBOLS_INDEX_STRING_TABLE_H

#include "formats/symbfile.h"

struct symbfile_string_table {
	struct cairn_bytes *text;
	size_t count, room;
};

/* Load `table`. On NO_MEMORY the table is empty. */
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

/* Return the string, or an empty one if it is absent. */
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
