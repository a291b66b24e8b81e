/* SPDX-License-Identifier: MIT */
/*
 * Copies a string with this program's malloc(). Unlike strdup() in the C library, it is visible to
 * allocators that count.
 */
#ifndef CAIRN_BASE_COPY_TEXT_H
#define CAIRN_BASE_COPY_TEXT_H

#include <stdlib.h>
#include <string.h>

/* Return a copy that the caller frees, or NULL if memory is short. */
static inline char *copy_text(const char *text)
{
	const size_t size = strlen(text) + 1;
	char *copy = malloc(size);

	return copy ? memcpy(copy, text, size) : NULL;
}

#endif
