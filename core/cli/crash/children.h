/* SPDX-License-Identifier: MIT */
/*
 * The child processes of the handler. Each has its own standard input, and is killed when its time
 * is over.
 */
#ifndef CAIRN_CLI_CRASH_CHILDREN_H
#define CAIRN_CLI_CRASH_CHILDREN_H

#include "crash.h"

enum { CHILD_WHY = 96 };

struct crash_child {
	pid_t pid;           /* 0 or negative if the process could not be started */
	int status;          /* status from waitpid(), valid after the process has ended */
	bool late;           /* the process exceeded its time limit and was killed */
	char why[CHILD_WHY]; /* reason for a status other than 0, otherwise empty */
};

struct crash_core {
	bool wanted, kept;
	char why[CHILD_WHY];
	char name[NAME_ROOM];
	/* file name while the core is incomplete; empty if there is no file */
	char temporary[NAME_ROOM];
	uint64_t size;
	struct crash_child packer;
};

struct crash_kept {
	char map[NAME_ROOM];      /* file name of the perf map or jitdump, or empty */
	char dump[NAME_ROOM];     /* file name of the minidump, or empty */
	const char *dump_missing; /* reason why a requested minidump is missing, otherwise NULL */
};

/*
 * Start a child with `in` as its standard input. The reader and the packer are confined, and close
 * all descriptors of the handler that they do not need, including the CRASH_OUTPUTS descriptors in
 * `kept`, where -1 is ignored. The command keeps the handler's privileges. `pid` of the result is
 * not positive if fork() failed.
 */
struct crash_child crash_start_reader(struct crash *crash, int in, const int *kept,
                                      const char *failure);
struct crash_child crash_start_packer(struct crash *crash, int in, const int *kept);
struct crash_child crash_start_command(const struct crash *crash, int in);

/*
 * Create the core's file under a temporary name and start its packer. Sets out[CRASH_OUT_PACKER] to
 * the pipe for the core's stream; on failure it stays -1 and core->why has the reason.
 * crash_finish_core() gives the file its final name, or removes it.
 */
void crash_begin_core(struct crash *crash, struct crash_core *core, int out[CRASH_OUTPUTS]);
void crash_finish_core(struct crash *crash, struct crash_core *core, bool whole, uint64_t until);

/*
 * Keep the perf map or jitdump: without the process, it is the only source for the names of JIT
 * code. Return 0 or an errno value.
 */
int crash_keep_map(const struct crash *crash, const struct crash_core *core,
                   struct crash_kept *kept);

/* Keep the minidump. `made` is false if the reader did not finish. */
void crash_keep_minidump(const struct crash *crash, bool made, struct crash_kept *kept);

/* Create a pipe. Store the write end in *out and return the read end, or -1 on failure. */
int crash_open_pipe(int *out);

/*
 * Wait until the child ends, or kill it at the time `until`. Return true if it ended with status 0.
 */
bool crash_wait_child(struct crash_child *child, uint64_t until);

#endif
