/* SPDX-License-Identifier: MIT */
/*
 * Loaded into a service by LD_PRELOAD: a file that is mapped does to its reader what the bytes 9 to 12 of it say, where ELF has padding.
 * So files are there that end whoever reads them, whatever the reader does.
 *
 *	"ends"  SIGSEGV    "eats"  allocates until it is refused, then abort()    "loop"  never returns
 */
#undef _FILE_OFFSET_BITS /* both names of the call are to be defined */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORD_AT = 9, WORD = 4, MEGABYTE = 1 << 20 };

static void eat_memory(void)
{
	for (;;) {
		char *more = malloc(MEGABYTE);
		if (!more)
			abort();
		memset(more, 1, MEGABYTE);
	}
}

static void obey(const char *word)
{
	if (memcmp(word, "ends", WORD) == 0)
		raise(SIGSEGV);
	else if (memcmp(word, "eats", WORD) == 0)
		eat_memory();
	else if (memcmp(word, "loop", WORD) == 0)
		for (;;)
			pause();
}

static void *map(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	void *mapped = (void *)syscall(SYS_mmap, at, size, protection, flags, fd,
	                               offset); /* not for 32 bits */

	if (mapped != MAP_FAILED && fd >= 0 && offset == 0 && (protection & PROT_READ) &&
	    size >= WORD_AT + WORD &&
	    memcmp(mapped,
	           "\x7f"
	           "ELF",
	           4) == 0)
		obey((const char *)mapped + WORD_AT);
	return mapped;
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return map(at, size, protection, flags, fd, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return map(at, size, protection, flags, fd, offset);
}
