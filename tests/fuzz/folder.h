/* SPDX-License-Identifier: MIT */
/* A folder of a target's own, in which it lays files; for one source file of a program. */
#ifndef CAIRN_TESTS_FUZZ_FOLDER_H
#define CAIRN_TESTS_FUZZ_FOLDER_H

#include "fuzz.h"

#include <stdbool.h>
#include <string.h>

enum { FOLDER_SIZE = 64 };

/* Makes it, if that was not done yet: then true is returned, and `leave` is called in the end to remove it. */
static inline bool folder_make(char folder[FOLDER_SIZE], void (*leave)(void))
{
	if (folder[0])
		return false;
	strcpy(folder, "/tmp/cairn-fuzz.XXXXXX");
	ALWAYS(mkdtemp(folder));
	atexit(leave);
	return true;
}

#endif
