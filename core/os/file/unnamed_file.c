/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* Creates unnamed files with memfd_create() of Linux. */
#include "unnamed_file.h"

#include <sys/mman.h>

int os_unnamed_file(void)
{
	return memfd_create("cairn", MFD_CLOEXEC);
}
