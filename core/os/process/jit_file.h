/* SPDX-License-Identifier: MIT */
/*
 * The files in which a process names code that it makes at run time (JIT): perf-PID.map, and jit-PID.dump. PID is its
 * number as it knows itself. Anybody may put such files there, and in a namespace of his own mount any file over one,
 * whose text would get into a report: of a running process they count when they are regular
 * files, no links, of the process's user alone (root's are those of root's processes), and were written since the process
 * began. Of a core nobody knows when
 * its process began, and another one may have had the number since: its files count in folders that the user names;
 * beside the core (also NAME.perf-map beside NAME.core), when they belong to its owner and are not newer; and a jitdump,
 * where the core has its path, when it belongs to the core's owner. Unless we are root, who may read any file, those of root
 * count as well.
 *
 *	const struct os_jit_process process = { .pid = 1234 };
 *	char found[OS_JIT_PATH];
 *	int fd = os_jit_open_map(&process, found);
 *	if (fd >= 0 && os_jit_read(fd, OS_JIT_MAP_MAX, &bytes))
 *		... bytes, to be freed
 */
#ifndef CAIRN_OS_PROCESS_JIT_FILE_H
#define CAIRN_OS_PROCESS_JIT_FILE_H

#include <cairn.h>

enum {
	OS_JIT_MAP_MAX = 64 << 20,   /* bytes of a map that are read: a million names */
	OS_JIT_DUMP_MAX = 512 << 20, /* bytes of a jitdump: the code is among them */
	OS_JIT_PATH = CAIRN_MADE_CODE_PATH,
};

struct os_jit_process {
	uint64_t pid; /* as this machine knows it; of a core: as it knew itself */
	bool running;
	const char *directories; /* of a core: "DIR:DIR"; NULL: none */
	const char *core;        /* its path; NULL: not known */
};

/* The number that the process has for itself. */
uint64_t os_jit_inner_pid(const struct os_jit_process *process);

/* Open a file that counts, and write its path; -1: there is none. */
int os_jit_open_map(const struct os_jit_process *process, char path[OS_JIT_PATH]);
int os_jit_open_kept_dump(const struct os_jit_process *process, char path[OS_JIT_PATH]);

/* The jitdump at a path that the process has mapped. */
int os_jit_open_dump(const struct os_jit_process *process, struct cairn_bytes mapped,
                     char path[OS_JIT_PATH]);

/*
 * The files of a process that was recorded, `core` being the recording: in the folders and beside it; else at `place`, in which case it
 * may also be newer, if the process still runs and began before the recording ended.
 */
int os_jit_open_recorded(const struct os_jit_process *process, bool dump, const char *place,
                         char path[OS_JIT_PATH]);

/* What counts of a running process, its jitdump or else its perf map; -1: there is none. */
int os_jit_open_running(uint64_t pid, char path[OS_JIT_PATH], bool *dump);

/* The number in a path's "jit-PID.dump"; 0: it is of another file. */
uint64_t os_jit_dump_pid(struct cairn_bytes path);

/* Reads `most` bytes at most and closes it; false: memory is short, or there is nothing in it. */
bool os_jit_read(int fd, size_t most, struct cairn_bytes *bytes);

#endif
