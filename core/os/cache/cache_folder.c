/* SPDX-License-Identifier: MIT */
/* Finds the cache directory from the environment. */
#include "cache.h"

#include <stdio.h>
#include <stdlib.h>

bool os_cache_folder(char path[OS_CACHE_PATH])
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	bool given = cache && cache[0] == '/';

	if (!given && (!home || home[0] != '/'))
		return false;
	int size = snprintf(path, OS_CACHE_PATH, "%s%s/cairn", given ? cache : home,
	                    given ? "" : "/.cache");
	return size > 0 && size < OS_CACHE_PATH;
}
