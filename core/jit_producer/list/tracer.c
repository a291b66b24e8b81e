/* SPDX-License-Identifier: MIT */
/* Reads the pid and the name of the tracing process. */
#include "tracer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_BYTES = 2048, TRACER_PATH = 40 };

static void read_proc_text(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = -1;

	if (fd >= 0) {
		got = read(fd, text, size - 1);
		close(fd);
	}
	text[got > 0 ? got : 0] = '\0';
}

CAIRN_JIT_INTERNAL bool cairn_jit_traced_by_gdb(void)
{
	char text[STATUS_BYTES], path[TRACER_PATH];

	read_proc_text("/proc/self/status", text, sizeof(text));
	const char *tracer = strstr(text, "\nTracerPid:\t");
	const long pid = tracer ? strtol(tracer + 12, NULL, 10) : 0;
	if (pid <= 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	read_proc_text(path, text, sizeof(text));
	return strncmp(text, "gdb", 3) == 0;
}
