/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* A file of memory, as Linux makes it. */
#include "unnamed_file.h"

#include <sys/mman.h>

int os_unnamed_file(void)
{
	return memfd_create("cairn", MFD_CLOEXEC);
}
