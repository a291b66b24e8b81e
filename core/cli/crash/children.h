/* SPDX-License-Identifier: MIT */
/*
 * The processes of a handler: each is started with its own standard input, waited for up to a time, and
 * killed then.
 */
#ifndef CAIRN_CLI_CRASH_CHILDREN_H
#define CAIRN_CLI_CRASH_CHILDREN_H

#include "crash.h"

enum { CHILD_WHY = 96 };

struct crash_child {
	pid_t pid;           /* 0: was not started */
	int status;          /* as of waitpid(), once it has ended */
	bool late;           /* it was killed, because its time was over */
	char why[CHILD_WHY]; /* it did not end with 0: why */
};

/* What became of the core that was to be kept. */
struct crash_core {
	bool wanted, kept;
	char why[CHILD_WHY];       /* not kept: why */
	char name[NAME_ROOM];      /* of its file */
	char temporary[NAME_ROOM]; /* of the same before it is whole */
	uint64_t size;             /* of the file */
	struct crash_child packer;
};

/* What is kept beside a core, or in its place. */
struct crash_kept {
	char map[NAME_ROOM];      /* the file that names code the process made; empty: none */
	char dump[NAME_ROOM];     /* that of the minidump; empty: none */
	const char *dump_missing; /* why there is none; NULL: it is there, or not wanted */
};

/*
 * Each takes standard input from `in`, and keeps nothing of the handler open that it does not need; `kept`
 * are descriptors of the handler that are closed in it, CRASH_OUTPUTS of them, -1 for none. pid 0 when it
 * could not be started.
 */
struct crash_child crash_start_reader(struct crash *crash, int in, const int *kept,
                                      const char *failure);
struct crash_child crash_start_packer(struct crash *crash, int in, const int *kept);
struct crash_child crash_start_command(const struct crash *crash, int in);

/*
 * The core: `out` gets where the stream is to be written; -1 when there is nothing to write it to, with
 * the reason in the core. The file has its name, or is gone, when it is finished.
 */
void crash_begin_core(struct crash *crash, struct crash_core *core, int out[CRASH_OUTPUTS]);
void crash_finish_core(struct crash *crash, struct crash_core *core, bool whole, uint64_t until);

/* Keeps what names code of the process, which is gone with it. Returns 0 or an errno value. */
int crash_keep_map(const struct crash *crash, const struct crash_core *core,
                   struct crash_kept *kept);

/* Keeps the minidump, if the reader came to its end (`made`). */
void crash_keep_minidump(const struct crash *crash, bool made, struct crash_kept *kept);

/* A pipe: the end for writing goes to *out, that for reading is returned; -1: none could be had. */
int crash_open_pipe(int *out);

/* Waits until it ends, or until the time has come and it is killed. True: it ended with status 0. */
bool crash_wait_child(struct crash_child *child, uint64_t until);

#endif
