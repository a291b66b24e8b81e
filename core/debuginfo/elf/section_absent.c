/* SPDX-License-Identifier: MIT */
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
