/* SPDX-License-Identifier: MIT */
/*
 * Opens the files in which a process records its JIT code: perf-PID.map and jit-PID.dump, where PID
 * is the pid in the process's namespace.
 *
 * Any user can create such a file in a shared directory, or mount another file over one in a
 * private namespace, and its contents would end up in a report. For a running process, a file is
 * therefore accepted only if it is a regular file and not a link, is owned by the process's user
 * (or by root if the process runs as root), and was written after the process started.
 *
 * The start time of a dumped process is unknown, and its pid may have been reused. For a core, all
 * files are accepted in directories that the user has specified. A file beside the core (also
 * NAME.perf-map beside NAME.core) is accepted if it belongs to the core's owner and is not newer
 * than the core. A jitdump at the path recorded in the core is accepted if it belongs to the core's
 * owner. Files of root are accepted as well, unless cairn runs as root and could therefore read any
 * file.
 *
 *	const struct os_jit_process process = { .pid = 1234 };
 *	char found[OS_JIT_PATH];
 *	int fd = os_jit_open_map(&process, found);
 *	if (fd >= 0 && os_jit_read(fd, OS_JIT_MAP_MAX, &bytes))
 *		... bytes, to be freed
 */
#ifndef CAIRN_OS_JIT_FILE_H
#define CAIRN_OS_JIT_FILE_H

#include <cairn.h>

enum {
	/* maximum size of a perf map in bytes, enough for a million names */
	OS_JIT_MAP_MAX = 64 << 20,
	/* maximum size of a jitdump in bytes; larger because a jitdump includes the code */
	OS_JIT_DUMP_MAX = 512 << 20,
	OS_JIT_PATH = CAIRN_MADE_CODE_PATH,
};

struct os_jit_process {
	/* pid on this machine; for a core, the pid in the process's namespace */
	uint64_t pid;
	bool running;
	/* for a core: colon-separated list of directories to search, or NULL */
	const char *directories;
	const char *core;
};

/* Open the process's perf map and write its path. Returns -1 if no map is accepted. */
int os_jit_open_map(const struct os_jit_process *process, char path[OS_JIT_PATH]);
int os_jit_open_kept_dump(const struct os_jit_process *process, char path[OS_JIT_PATH]);

/*
 * Open the jitdump whose path the process has mapped, and write its path. Returns -1 if the file is
 * not accepted.
 */
int os_jit_open_dump(const struct os_jit_process *process, struct cairn_bytes mapped,
                     char path[OS_JIT_PATH]);

/*
 * Open a file of a recorded process; process->core is the path of the recording. Searches
 * `directories`, then the directory that contains the recording, then the path `place`. The file at
 * `place` may be newer than the recording if the process still runs and started before the
 * recording ended.
 */
int os_jit_open_recorded(const struct os_jit_process *process, bool dump, const char *place,
                         char path[OS_JIT_PATH]);

/*
 * Open the jitdump of a running process, or else its perf map, and set *dump accordingly. Returns
 * -1 if neither is accepted.
 */
int os_jit_open_running(uint64_t pid, char path[OS_JIT_PATH], bool *dump);

/* Return PID if the path ends with "jit-PID.dump", otherwise 0. */
uint64_t os_jit_dump_pid(struct cairn_bytes path);

/*
 * Read at most `most` bytes and close the descriptor. The caller frees bytes->data. Returns false
 * if allocation fails or the file is empty.
 */
bool os_jit_read(int fd, size_t most, struct cairn_bytes *bytes);

#endif
