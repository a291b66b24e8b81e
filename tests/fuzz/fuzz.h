/* SPDX-License-Identifier: MIT */
/*
 * What a fuzz target is: one function over any bytes, which ends the process when an invariant of
 * its decoder does not hold.  libFuzzer calls it, or replay.c, which knows several.
 */
#ifndef CAIRN_TESTS_FUZZ_H
#define CAIRN_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A target in a program with replay.c, which finds it by the name of its file. */
struct fuzz_target {
	const char *file;
	int (*run)(const uint8_t *data, size_t size);
	struct fuzz_target *next;
};
void fuzz_register(struct fuzz_target *target);

#ifdef FUZZ_REPLAY
/* Static in each, because most targets are linked into one program. */
static int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

__attribute__((constructor)) static void fuzz_register_this(void)
{
	static struct fuzz_target target = { .file = __BASE_FILE__, .run = LLVMFuzzerTestOneInput };

	fuzz_register(&target);
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
#endif

/* The stated invariant; unlike assert() it is never compiled out. */
#define ALWAYS(what)                                                                           \
	do {                                                                                   \
		if (!(what)) {                                                                 \
			fprintf(stderr, "%s:%d: not always: %s\n", __FILE__, __LINE__, #what); \
			abort();                                                               \
		}                                                                              \
	} while (0)

#endif
