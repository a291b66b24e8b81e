/* SPDX-License-Identifier: MIT */
/* Tables of texts by the number of an enumerator. */
#ifndef CAIRN_BASE_TEXT_TABLE_H
#define CAIRN_BASE_TEXT_TABLE_H

#include <stddef.h>

static inline const char *text_table_find(const char *const *texts, size_t count, size_t number,
                                          const char *otherwise)
{
	return number < count && texts[number] ? texts[number] : otherwise;
}

/* The text of `number`; `otherwise` when the table has none. */
#define TEXT_AT(texts, number, otherwise) \
	text_table_find(texts, sizeof(texts) / sizeof(*(texts)), (size_t)(number), otherwise)

#endif
