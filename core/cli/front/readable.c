/* SPDX-License-Identifier: MIT */
/* Readable names of functions. */
#include "cli.h"

struct cairn_bytes readable_name(struct cairn_bytes name)
{
	static char text[CAIRN_DEMANGLE_MAX];
	size_t size = cairn_demangle(name, text, sizeof(text));

	return size ? (struct cairn_bytes){ (const uint8_t *)text, size } : name;
}
