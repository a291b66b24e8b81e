/* SPDX-License-Identifier: MIT */
/* Bytes that are taken apart: lines, words, and other parts that end with a byte. */
#ifndef CAIRN_BASE_BYTES_SPLIT_H
#define CAIRN_BASE_BYTES_SPLIT_H

#include <cairn.h>

#include <string.h>

/* Takes the bytes before the first `end` out of *rest, and that byte with them; all of them if there is none. */
static inline struct cairn_bytes bytes_take_part(struct cairn_bytes *rest, int end)
{
	const uint8_t *found = rest->size > 0 ? memchr(rest->data, end, rest->size) : NULL;
	const struct cairn_bytes part = { rest->data,
		                          found ? (size_t)(found - rest->data) : rest->size };
	const size_t taken = part.size + (found != NULL);

	*rest = (struct cairn_bytes){ rest->data + taken, rest->size - taken };
	return part;
}

#endif
