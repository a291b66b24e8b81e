/* SPDX-License-Identifier: MIT */
/* The library that modules.c loads and unloads. VARIANT changes its frames, but not the size of its file. */
#include "stops.h"

unsigned long module_run(unsigned depth, unsigned long (*back)(unsigned, unsigned long), unsigned long seed);

NOINLINE __attribute__((visibility("default"))) unsigned long module_run(unsigned depth, unsigned long (*back)(unsigned, unsigned long), unsigned long seed)
{
	volatile unsigned char space[VARIANT * 200 + 40];

	ENTER();
	for (unsigned i = 0; i < sizeof(space); i++)
		space[i] = (unsigned char)(seed = seed * 31 + i);
	unsigned long result = back(depth, seed) + space[seed % sizeof(space)];
	LEAVE();
	return result;
}
