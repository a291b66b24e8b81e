/* SPDX-License-Identifier: MIT */
/* Demangles function names, with a cache because names repeat. */
#include "cli.h"

#include "base/table.h"

#include <string.h>

struct cairn_bytes readable_name(struct cairn_bytes name)
{
	static char text[CAIRN_DEMANGLE_MAX];
	static struct text_cache names;

	if (name.size == 0 ||
	    (name.data[0] != '_' && name.data[0] != '.' && !memchr(name.data, 'B', name.size)))
		return name; /* not mangled, as in C; task names of Ada end in "TB" */
	const struct text_cache_entry *known = text_cache_find(&names, name);
	if (known)
		return known->made_size ? text_cache_made(known) : name;
	const size_t size = cairn_demangle(name, text, sizeof(text));
	const struct cairn_bytes readable = { (const uint8_t *)text, size };
	text_cache_keep(&names, name, readable, 0);
	return size ? readable : name;
}
