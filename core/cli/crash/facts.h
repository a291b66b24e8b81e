/* SPDX-License-Identifier: MIT */
/*
 * What /proc has of a process that is about to end: copied and opened while it is still there, and
 * looked at by nobody. All of it is hostile.
 *
 *	struct crash_facts facts;
 *	crash_facts_take(&facts, 1234, false);
 *	... the process may end now
 *	crash_facts_finish(&facts);
 */
#ifndef CAIRN_CLI_CRASH_FACTS_H
#define CAIRN_CLI_CRASH_FACTS_H

#include "os/process/mapped_files.h"

enum crash_fact {
	FACT_COMM,
	FACT_CMDLINE,
	FACT_STATUS,
	FACT_STAT,
	FACT_CGROUP,
	FACT_MAPS,
	FACT_AUXV,
	FACT_ENVIRON, /* only when it is asked for */
	FACT_EXE,     /* links: what they lead to */
	FACT_ROOT,
	FACT_CWD,
	FACT_COUNT,
};

enum {
	CRASH_THREADS_MAX = 4096, /* whose names are read */
	CRASH_NAME_MAX = 64,      /* bytes of one; Linux keeps 15 */
	CRASH_STATUS_MAX = 4096,  /* of a thread's; it has 1,500 bytes, and more with many groups */
};

struct crash_thread {
	uint64_t tid; /* as we count; crash_number_threads() makes it what the core has */
	uint8_t name[CRASH_NAME_MAX];
	size_t size;
	uint8_t status[CRASH_STATUS_MAX]; /* in a container, where threads have other numbers */
	size_t status_size;
};

struct crash_facts {
	struct cairn_bytes fact[FACT_COUNT]; /* size 0: could not be had; never NULL */
	bool cut[FACT_COUNT];                /* there is more than was copied */
	void *memory[FACT_COUNT];
	struct crash_thread *threads; /* by tid */
	size_t thread_count;
	struct os_mapped_file *files;
	size_t file_count;
	int root; /* the folder that it has as its root; -1: could not be had */
	int jit; /* what it recorded of code that it made (os/process/jit_file.h); -1: nothing that counts */
	int error; /* nothing could be had: an errno value */
};

void crash_facts_take(struct crash_facts *facts, uint64_t pid, bool environment);

/* Puts threads in the order of their numbers. */
void crash_facts_sort(struct crash_facts *facts);

/* The name of a thread, of sorted ones; size 0: not known. */
struct cairn_bytes crash_facts_thread(const struct crash_facts *facts, uint64_t tid);

/*
 * The file of a module that lies at `low` and was at `path` (with a NUL): a descriptor to be closed, or
 * -1. It may be called without privileges.
 */
int crash_facts_open(const struct crash_facts *facts, uint64_t low, const char *path);

void crash_facts_finish(struct crash_facts *facts);

#endif
