/* SPDX-License-Identifier: MIT */
/*
 * Another process on this machine, through its folder in /proc. The folder is opened once: as long
 * as it is open, nothing is read of a later process that got the same number.
 *
 *	struct os_process process;
 *	int error = os_process_open(1234, &process);
 *	char *maps = os_process_text(&process, "maps", &size);
 *	...
 *	os_process_close(&process);
 */
#ifndef CAIRN_OS_PROCESS_PROCESS_H
#define CAIRN_OS_PROCESS_PROCESS_H

#include <cairn.h>

enum {
	OS_PROCESS_TEXT_MAX = 64 << 20, /* bytes of a file; 500,000 mappings have some 50 MB */
	OS_PROCESS_THREADS_MAX = 1 << 17,
};

struct os_process {
	uint64_t pid;
	uint64_t living; /* pid, or of another of its threads, if the first one has ended */
	int folder;      /* /proc/LIVING */
	int memory;      /* its file mem; -1: it may not be read */
};

/* 0 or an errno value: ESRCH: there is no such process; EACCES or EPERM: it is somebody else's. */
CAIRN_MUST_USE int os_process_open(uint64_t pid, struct os_process *process);
void os_process_close(struct os_process *process);

/* Is it still there? A process that ended but was not waited for is not. */
bool os_process_is_alive(const struct os_process *process);

/*
 * A file of the folder, such as "maps" or "task/7/comm", with a NUL after its *size bytes, to be
 * freed; NULL when it cannot be read or memory is short.
 */
char *os_process_text(const struct os_process *process, const char *name, size_t *size);

/* Copies what a link such as "exe" leads to, as the kernel writes it; returns false when it cannot be read. */
bool os_process_link(const struct os_process *process, const char *name, char *path, size_t room);

/* Memory as it is now; false unless all of it can be read. */
bool os_process_read(const struct os_process *process, uint64_t address, void *buffer, size_t size);

/* The IDs of its threads at this moment, to be freed; NULL when memory is short or it has ended. */
uint64_t *os_process_threads(const struct os_process *process, size_t *count);

/* The owner of the process; false: its user IDs differ from each other, as of a program with the set-user-ID bit. */
bool os_process_user(const struct os_process *process, uint32_t *user);

/* Nanoseconds since it was started; 0 when that is not known. */
uint64_t os_process_age(const struct os_process *process);

#endif
