/* SPDX-License-Identifier: MIT */
/*
 * Loaded into the command line by LD_PRELOAD: at the event whose number is $CUT_AT the file $CUT_FILE is cut to
 * $CUT_SIZE bytes, as another process may do at any time.  At the end the file $CUT_COUNT gets how many events there
 * were: allocations, maps, and the calls of the C library that a reader makes most.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_ulong count;
static unsigned long cut_at;
static off_t cut_size;
static int victim = -1, report = -1;

static void count_event(void)
{
	if (atomic_fetch_add(&count, 1) + 1 == cut_at && ftruncate(victim, cut_size) != 0)
		abort();
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
	count_event();
	return __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t number, size_t size)
{
	count_event();
	return __libc_calloc(number, size);
}

__attribute__((visibility("default"))) void *realloc(void *old, size_t size)
{
	count_event();
	return __libc_realloc(old, size);
}

__attribute__((visibility("default"))) void *mmap(void *at, size_t size, int rights, int flags,
                                                  int fd, off_t offset)
{
	count_event();
	return (void *)syscall(SYS_mmap, at, size, rights, flags, fd, offset);
}

/* Loops of their own, because the compiler's builtins are these very functions. */
__attribute__((visibility("default"))) void *memcpy(void *restrict to, const void *restrict from,
                                                    size_t size)
{
	volatile unsigned char *out = to;
	const unsigned char *in = from;

	count_event();
	for (size_t i = 0; i < size; i++)
		out[i] = in[i];
	return to;
}

__attribute__((visibility("default"))) int memcmp(const void *left, const void *right, size_t size)
{
	const volatile unsigned char *a = left, *b = right;

	count_event();
	for (size_t i = 0; i < size; i++)
		if (a[i] != b[i])
			return a[i] - b[i];
	return 0;
}

__attribute__((visibility("default"))) void *memchr(const void *bytes, int byte, size_t size)
{
	const volatile unsigned char *at = bytes;

	count_event();
	for (size_t i = 0; i < size; i++)
		if (at[i] == (unsigned char)byte)
			return (char *)bytes + i;
	return NULL;
}

__attribute__((visibility("default"))) size_t strlen(const char *text)
{
	const volatile char *end = text;

	count_event();
	while (*end)
		end++;
	return (size_t)(end - text);
}

static unsigned long read_number(const char *name)
{
	const char *number = getenv(name);

	return number ? strtoul(number, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("CUT_FILE"), *counted = getenv("CUT_COUNT");

	if (path)
		victim = open(path, O_WRONLY | O_CLOEXEC);
	if (counted)
		report = open(counted, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	cut_size = (off_t)read_number("CUT_SIZE");
	atomic_store(&count, 0);
	cut_at = victim >= 0 ? read_number("CUT_AT") : 0;
}

__attribute__((destructor)) static void end(void)
{
	if (report >= 0)
		dprintf(report, "%lu\n", atomic_load(&count));
}
