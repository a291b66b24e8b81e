/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* struct rusage with times */
/* Reads this process's resource usage. */
#include "own_use.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

int own_use_open(void)
{
	return open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
}

uint64_t own_use_memory(int file)
{
	char text[128];
	unsigned long pages;
	const ssize_t size = pread(file, text, sizeof(text) - 1, 0);

	text[size > 0 ? size : 0] = '\0';
	return sscanf(text, "%*u %lu", &pages) == 1
	               ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE)
	               : 0;
}

double own_use_processor(void)
{
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used) != 0)
		return 0;
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}
