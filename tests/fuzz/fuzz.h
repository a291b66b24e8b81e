/* SPDX-License-Identifier: MIT */
/*
 * What a fuzz target is: one function over any bytes, which ends the process when an invariant of
 * its decoder does not hold.  libFuzzer calls it, or replay.c.
 */
#ifndef CAIRN_TESTS_FUZZ_H
#define CAIRN_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The stated invariant; unlike assert() it is never compiled out. */
#define ALWAYS(what)                                                                           \
	do {                                                                                   \
		if (!(what)) {                                                                 \
			fprintf(stderr, "%s:%d: not always: %s\n", __FILE__, __LINE__, #what); \
			abort();                                                               \
		}                                                                              \
	} while (0)

#endif
