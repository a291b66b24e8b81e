/* SPDX-License-Identifier: MIT */
/* A copy of a string, from malloc() of this program: allocators that count see it, unlike strdup() of the C library. */
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
