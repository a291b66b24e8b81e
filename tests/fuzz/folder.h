/* SPDX-License-Identifier: MIT */
/* A folder of a target's own, in which it lays files; for one source file of a program. */
#ifndef CAIRN_TESTS_FUZZ_DIRECTORY_H
#define CAIRN_TESTS_FUZZ_DIRECTORY_H

#include "fuzz.h"

#include <stdbool.h>
#include <string.h>

enum { DIRECTORY_SIZE = 64 };

/* Makes it, if that was not done yet: then true is returned, and `leave` is called in the end to remove it. */
static inline bool directory_make(char directory[DIRECTORY_SIZE], void (*leave)(void))
{
	if (directory[0])
		return false;
	strcpy(directory, "/tmp/cairn-fuzz.XXXXXX");
	ALWAYS(mkdtemp(directory));
	atexit(leave);
	return true;
}

#endif
