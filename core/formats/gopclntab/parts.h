/* SPDX-License-Identifier: MIT */
/* Helpers for parts and strings, shared by the files of gopclntab.h. */
#ifndef CAIRN_FORMATS_GOPCLNTAB_PARTS_H
#define CAIRN_FORMATS_GOPCLNTAB_PARTS_H

#include "base/reader.h"

#include <string.h>

/* maximum size of a name or path; Go writes up to a few thousand bytes */
enum { GOPCLNTAB_TEXT_MAX = 1 << 16 };

/* Return the bytes from an offset to the end. Return false if the offset is past the end. */
static inline bool gopclntab_slice_from(struct cairn_bytes in, uint64_t offset,
                                        struct cairn_bytes *out)
{
	return offset <= in.size && bytes_slice(in, offset, in.size - offset, out);
}

/* Return the NUL-terminated string at an offset. It is empty if absent or it is too long. */
static inline struct cairn_bytes gopclntab_text(struct cairn_bytes in, uint64_t offset)
{
	struct cairn_bytes rest = { in.data, 0 };

	gopclntab_slice_from(in, offset, &rest);
	size_t most = rest.size < GOPCLNTAB_TEXT_MAX ? rest.size : GOPCLNTAB_TEXT_MAX;
	const uint8_t *end = most ? memchr(rest.data, 0, most) : NULL;
	return (struct cairn_bytes){ rest.data, end ? (size_t)(end - rest.data) : 0 };
}

#endif
