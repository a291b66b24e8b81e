/* SPDX-License-Identifier: MIT */
/*
 * Tables of texts by the number of an enumerator.  The texts themselves are the table, so that nothing has to be
 * relocated when a program starts.
 */
#ifndef CAIRN_BASE_TEXT_TABLE_H
#define CAIRN_BASE_TEXT_TABLE_H

#include <stddef.h>

enum { TEXT_ROOM = 80 }; /* for the longest one */

static inline const char *text_table_find(const char (*texts)[TEXT_ROOM], size_t count,
                                          size_t number, const char *otherwise)
{
	return number < count && texts[number][0] ? texts[number] : otherwise;
}

/* The text of `number`; `otherwise` when the table has none. */
#define TEXT_AT(texts, number, otherwise) \
	text_table_find(texts, sizeof(texts) / sizeof(*(texts)), (size_t)(number), otherwise)

#endif
