/* SPDX-License-Identifier: MIT */
/* Comparisons of byte ranges with each other and with strings. */
#ifndef CAIRN_BASE_BYTES_COMPARE_H
#define CAIRN_BASE_BYTES_COMPARE_H

#include <cairn.h>

#include <stdbool.h>
#include <string.h>

/* Return true if the bytes are equal. `data` may be NULL if `size` is 0. */
static inline bool bytes_equal(struct cairn_bytes a, struct cairn_bytes b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool bytes_are(struct cairn_bytes bytes, const char *text)
{
	const size_t size = strlen(text);

	return bytes.size == size && (size == 0 || memcmp(bytes.data, text, size) == 0);
}

static inline bool bytes_begin_with(struct cairn_bytes bytes, const char *text)
{
	const size_t size = strlen(text);

	return bytes.size >= size && (size == 0 || memcmp(bytes.data, text, size) == 0);
}

static inline bool bytes_go_on_after(struct cairn_bytes bytes, const char *text)
{
	return bytes_begin_with(bytes, text) && bytes.size > strlen(text);
}

/* Compare as unsigned bytes, lexicographically. Return a value below, equal to or above 0. */
static inline int bytes_order(struct cairn_bytes a, struct cairn_bytes b)
{
	const size_t common = a.size < b.size ? a.size : b.size;
	const int order = common > 0 && a.data != b.data ? memcmp(a.data, b.data, common) : 0;

	return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

#endif
