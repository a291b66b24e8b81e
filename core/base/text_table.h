/* SPDX-License-Identifier: MIT */
/*
 * Tables of strings indexed by an enumerator. Each element contains the characters instead of a
 * pointer, so that the dynamic linker has nothing to relocate at startup.
 */
#ifndef CAIRN_BASE_TEXT_TABLE_H
#define CAIRN_BASE_TEXT_TABLE_H

#include <stddef.h>

enum { TEXT_CAPACITY = 80 }; /* capacity of an element, including the NUL */

static inline const char *text_table_find(const char (*texts)[TEXT_CAPACITY], size_t count,
                                          size_t number, const char *otherwise)
{
	return number < count && texts[number][0] ? texts[number] : otherwise;
}

#define TEXT_AT(texts, number, otherwise) \
	text_table_find(texts, sizeof(texts) / sizeof(*(texts)), (size_t)(number), otherwise)

#endif
