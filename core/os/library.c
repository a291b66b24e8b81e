/* SPDX-License-Identifier: MIT */
/* Opens a library with dlopen(), if the program is dynamically linked. */
#include "library.h"

#include <dlfcn.h>
#include <stddef.h>

void *os_library_open(const char *path)
{
#ifdef CAIRN_STATIC
	(void)path;
	return NULL;
#else
	return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
#endif
}
