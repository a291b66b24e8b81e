/* SPDX-License-Identifier: MIT */
/*
 * The string table of a symbfile in an array, so that references are one step.  The texts stay in
 * the file; a new table replaces them all.
 *
 *	struct symbfile_texts texts = { 0 };
 *	if (record.kind == SYMBFILE_TABLE)
 *		status = symbfile_texts_load(&texts, &record);
 *	... symbfile_texts_of(&texts, &record.range.function)
 *	symbfile_texts_finish(&texts);
 */
#ifndef CAIRN_ENGINE_SYMBFILE_INDEX_STRING_TABLE_H
#define CAIRN_ENGINE_SYMBFILE_INDEX_STRING_TABLE_H

#include "formats/symbfile/symbfile.h"

struct symbfile_texts {
	struct cairn_bytes *text;
	size_t count, room;
};

/* NO_MEMORY, and an empty table, when memory is short. */
CAIRN_MUST_USE enum cairn_status symbfile_texts_load(struct symbfile_texts *texts,
                                                     const struct symbfile_record *table);
void symbfile_texts_finish(struct symbfile_texts *texts);

static inline struct cairn_bytes symbfile_texts_at(const struct symbfile_texts *texts,
                                                   uint32_t index)
{
	if (index >= texts->count)
		return (struct cairn_bytes){ (const uint8_t *)"", 0 };
	return texts->text[index];
}

/* Empty when it is absent, too. */
static inline struct cairn_bytes symbfile_texts_of(const struct symbfile_texts *texts,
                                                   const struct symbfile_text *text)
{
	if (text->kind == SYMBFILE_REF)
		return symbfile_texts_at(texts, text->value);
	if (text->kind == SYMBFILE_INLINE)
		return (struct cairn_bytes){ text->data, text->value };
	return (struct cairn_bytes){ (const uint8_t *)"", 0 };
}

#endif
