/* SPDX-License-Identifier: MIT */
/*
 * Copies structs of the public header that begin with their size. If the host was compiled with
 * another version of the header, its structs have fewer or more members than the library's: members
 * that the host lacks keep their defaults, and members that the library lacks are not touched.
 */
#ifndef CAIRN_BASE_SIZED_H
#define CAIRN_BASE_SIZED_H

#include <cairn.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline size_t sized_common(const void *host, size_t size)
{
	size_t given;

	memcpy(&given, host, sizeof(given));
	return given < size ? given : size;
}

/*
 * Copy the host's options to *own, whose size is `size` and which already contains the defaults.
 * `host` may be NULL. own->size does not change.
 */
static inline void sized_take(void *own, size_t size, const void *host)
{
	const size_t common = host ? sized_common(host, size) : 0;

	if (common > sizeof(size_t))
		memcpy((uint8_t *)own + sizeof(size_t), (const uint8_t *)host + sizeof(size_t),
		       common - sizeof(size_t));
}

/*
 * Copy the result *own, whose size is `size`, to the host's struct. `host` may be NULL. host->size
 * does not change.
 */
static inline void sized_give(const void *own, size_t size, void *host)
{
	const size_t common = host ? sized_common(host, size) : 0;

	if (common > sizeof(size_t))
		memcpy((uint8_t *)host + sizeof(size_t), (const uint8_t *)own + sizeof(size_t),
		       common - sizeof(size_t));
}

/* Make `data` of empty bytes valid for memcmp(). In options, it may be NULL. */
static inline void bytes_fill(struct cairn_bytes *bytes)
{
	if (bytes->size == 0)
		*bytes = (struct cairn_bytes)CAIRN_NO_BYTES;
}

#endif
