/* SPDX-License-Identifier: MIT */
/* What the files of gopclntab.h share: parts and texts of bytes. */
#ifndef CAIRN_FORMATS_GOPCLNTAB_PARTS_H
#define CAIRN_FORMATS_GOPCLNTAB_PARTS_H

#include "base/reader.h"

#include <string.h>

enum { GOPCLNTAB_TEXT_MAX = 1 << 16 }; /* bytes of a name or a path; Go makes some thousand */

/* From an offset to the end; false when it is past the end. */
static inline bool gopclntab_slice_from(struct cairn_bytes in, uint64_t offset,
                                        struct cairn_bytes *out)
{
	return offset <= in.size && bytes_slice(in, offset, in.size - offset, out);
}

/* The text at an offset, up to its NUL; empty when it has none, or is too long. */
static inline struct cairn_bytes gopclntab_text(struct cairn_bytes in, uint64_t offset)
{
	struct cairn_bytes rest = { in.data, 0 };

	gopclntab_slice_from(in, offset, &rest);
	size_t most = rest.size < GOPCLNTAB_TEXT_MAX ? rest.size : GOPCLNTAB_TEXT_MAX;
	const uint8_t *end = most ? memchr(rest.data, 0, most) : NULL;
	return (struct cairn_bytes){ rest.data, end ? (size_t)(end - rest.data) : 0 };
}

#endif
