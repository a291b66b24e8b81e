/* SPDX-License-Identifier: MIT */
/*
 * Copies the crashed process's files in /proc, and opens its mapped files, before the process ends.
 * Parses nothing, because the data may be hostile.
 *
 *	struct crash_facts facts;
 *	crash_facts_take(&facts, 1234, false);
 *	... the process may end now
 *	crash_facts_finish(&facts);
 */
#ifndef CAIRN_CLI_CRASH_PROCESS_H
#define CAIRN_CLI_CRASH_PROCESS_H

#include "os/process.h"
#include "output/json.h"

enum crash_fact {
	FACT_COMM,
	FACT_CMDLINE,
	FACT_STATUS,
	FACT_STAT,
	FACT_CGROUP,
	FACT_MAPS,
	FACT_AUXV,
	FACT_ENVIRON, /* copied only on request */
	FACT_EXE,
	FACT_ROOT,
	FACT_CWD,
	FACT_COUNT,
};

enum {
	CRASH_THREADS_MAX = 4096,
	CRASH_NAME_MAX = 64, /* maximum bytes per thread name; Linux keeps 15 */
	/* maximum bytes per status file; 1,500 are typical, more if the user is in many groups */
	CRASH_STATUS_MAX = 4096,
};

struct crash_thread {
	/*
	 * thread ID in the handler's PID namespace; crash_number_threads() replaces it with the
	 * thread ID in the core
	 */
	uint64_t tid;
	uint8_t name[CRASH_NAME_MAX];
	size_t size;
	/*
	 * contents of /proc/PID/task/TID/status; read only if the process is in another PID
	 * namespace, where its thread IDs differ
	 */
	uint8_t status[CRASH_STATUS_MAX];
	size_t status_size;
};

struct crash_facts {
	/* contents of each file; size 0 if it could not be read, but `data` is never NULL */
	struct cairn_bytes fact[FACT_COUNT];
	bool cut[FACT_COUNT];
	void *memory[FACT_COUNT];
	struct crash_thread *threads;
	size_t thread_count;
	struct os_mapped_file *files;
	size_t file_count;
	/*
	 * descriptors of the process's root directory, and of its perf map or jitdump
	 * (os/jit_file.h); -1 if it is not available
	 */
	int root;
	int jit;
	int error; /* errno value if the process's directory in /proc could not be opened */
};

void crash_facts_take(struct crash_facts *facts, uint64_t pid, bool environment);

/*
 * Return the name of a thread, or an empty string if it is unknown. The threads must be sorted by
 * tid.
 */
struct cairn_bytes crash_facts_thread(const struct crash_facts *facts, uint64_t tid);

/*
 * Open the file that the process has mapped from `path` at `low`. Return a descriptor, which the
 * caller closes, or -1. Needs no privileges, so the reader can call it.
 */
int crash_facts_open(const struct crash_facts *facts, uint64_t low, const char *path);

void crash_facts_finish(struct crash_facts *facts);

/*
 * Prints the data from /proc as JSON: the process's identity and its mapped files. The data may be
 * hostile, so call this only in an unprivileged process.
 */

enum {
	CRASH_ARGUMENTS_MAX = 1024,
	/* maximum number of printed modules; real programs have up to 400 */
	CRASH_MODULES_MAX = 1024,
};

/*
 * Replace the thread IDs of a process in a container with those inside the container, which the
 * core uses.
 */
void crash_number_threads(struct crash_facts *facts);

/*
 * Print the members of the object "process". `now` is the time since boot in nanoseconds; 0 means
 * unknown.
 */
void crash_print_process(struct json *json, const struct crash_facts *facts, uint64_t now);

/* Print the array "modules": the executable mapped files with build IDs, sorted by address. */
void crash_print_modules(struct json *json, const struct crash_facts *facts);

#endif
