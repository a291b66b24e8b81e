/* SPDX-License-Identifier: MIT */
/* Tells the kernel with madvise() how a mapped file is used: parts that are not, and reads far apart. */
#define _DEFAULT_SOURCE /* madvise(): what POSIX has of it may do nothing, and in glibc does */
#include "file.h"

#include <sys/mman.h>
#include <unistd.h>

static uintptr_t find_page_size(void)
{
	const long size = sysconf(_SC_PAGESIZE);

	return size > 0 ? (uintptr_t)size : 4096;
}

void os_file_release_pages(struct cairn_bytes part)
{
	uintptr_t page = find_page_size();
	uintptr_t low = ((uintptr_t)part.data + page - 1) / page * page;
	uintptr_t high = ((uintptr_t)part.data + part.size) / page * page;

	if (low < high)
		(void)madvise((void *)low, high - low, MADV_DONTNEED);
}

void os_file_read_apart(const struct os_file *file)
{
	if (file->mapped && file->bytes.size > 0)
		(void)madvise(file->memory, file->bytes.size, MADV_RANDOM);
}

void os_file_read_soon(struct cairn_bytes part)
{
	const uintptr_t page = find_page_size();
	const uintptr_t low = (uintptr_t)part.data / page * page;

	if (part.size > 0)
		(void)madvise((void *)low, (uintptr_t)part.data + part.size - low, MADV_WILLNEED);
}
