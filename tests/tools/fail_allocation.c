/* SPDX-License-Identifier: MIT */
/*
 * Loaded into the command line by LD_PRELOAD: the allocation whose number is $FAIL_ALLOCATION fails, and all
 * after it.  At the end the file $ALLOCATIONS gets how many there were.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_ulong count;
static unsigned long failing;
static int report = -1;

static int is_failing(void)
{
	unsigned long number = atomic_fetch_add(&count, 1) + 1;

	if (failing == 0 || number < failing)
		return 0;
	errno = ENOMEM;
	return 1;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
	return is_failing() ? NULL : __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t number, size_t size)
{
	return is_failing() ? NULL : __libc_calloc(number, size);
}

__attribute__((visibility("default"))) void *realloc(void *old, size_t size)
{
	return is_failing() ? NULL : __libc_realloc(old, size);
}

/* The file is opened before the process gives up the right to. */
__attribute__((constructor)) static void begin(void)
{
	const char *number = getenv("FAIL_ALLOCATION"), *path = getenv("ALLOCATIONS");

	if (path)
		report = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	atomic_store(&count, 0);
	failing = number ? strtoul(number, NULL, 10) : 0;
}

__attribute__((destructor)) static void end(void)
{
	if (report >= 0)
		dprintf(report, "%lu\n", atomic_load(&count));
}
