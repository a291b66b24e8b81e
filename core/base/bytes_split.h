/* SPDX-License-Identifier: MIT */
/*
 * Splits bytes into lines, words and other parts that end with a delimiter. `data` may be NULL if
 * `size` is 0.
 *
 *	while (text.size > 0)
 *		bytes = bytes_trim(bytes_take_part(&text, '\n'), " \t", " \t\r");
 */
#ifndef CAIRN_BASE_BYTES_SPLIT_H
#define CAIRN_BASE_BYTES_SPLIT_H

#include <cairn.h>

#include <stdbool.h>
#include <string.h>

/* Return the bytes before the first `end`, or all bytes if it does not occur. */
static inline struct cairn_bytes bytes_before(struct cairn_bytes text, int end)
{
	const uint8_t *found = text.size > 0 ? memchr(text.data, end, text.size) : NULL;

	return (struct cairn_bytes){ text.data, found ? (size_t)(found - text.data) : text.size };
}

/*
 * Remove and return the bytes before the first `end`, or all bytes if it does not occur. The
 * delimiter is removed, too.
 */
static inline struct cairn_bytes bytes_take_part(struct cairn_bytes *rest, int end)
{
	const struct cairn_bytes part = bytes_before(*rest, end);
	const size_t taken = part.size < rest->size ? part.size + 1 : part.size;

	if (taken > 0) /* adding 0 to NULL is undefined */
		*rest = (struct cairn_bytes){ rest->data + taken, rest->size - taken };
	return part;
}

#define BYTES_WHITE " \t\n\v\f\r"

/*
 * Return `text` without leading characters from `left` and trailing characters from `right`. NUL is
 * never trimmed.
 */
static inline struct cairn_bytes bytes_trim(struct cairn_bytes text, const char *left,
                                            const char *right)
{
	while (text.size > 0 && memchr(left, text.data[0], strlen(left)))
		text = (struct cairn_bytes){ text.data + 1, text.size - 1 };
	while (text.size > 0 && memchr(right, text.data[text.size - 1], strlen(right)))
		text.size--;
	return text;
}

#endif
