/* SPDX-License-Identifier: MIT */
/* Replaces section.c in builds without libelf and returns CAIRN_UNSUPPORTED. */
#include "section.h"

enum cairn_status debuginfo_decompress(struct cairn_bytes file, const char *name, void **memory,
                                       size_t *size)
{
	(void)file;
	(void)name;
	(void)memory;
	(void)size;
	return CAIRN_UNSUPPORTED;
}
