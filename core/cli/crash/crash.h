/* SPDX-License-Identifier: MIT */
/*
 * `cairn crash`: the handler that the kernel starts for each crash (core_pattern). It runs as root
 * and any user can feed it, so it is split into processes:
 *
 *	the handler    as root: copies data from /proc (facts), creates files (store), passes on
 *	               the core's stream (stream), waits for its children and kills those that are
 *	               late (handler). It never parses any of these bytes.
 *	the reader     unprivileged: reads the core and the copies, and writes the report (report,
 *	               process_head) to an unnamed file.
 *	the packer     unprivileged: compresses the core (packer).
 *	COMMAND        the program named by --then, which gets the same stream.
 */
#ifndef CAIRN_CLI_CRASH_CRASH_H
#define CAIRN_CLI_CRASH_CRASH_H

#include "cli/crash/process.h"
#include "cli/crash/store.h"
#include "os/confine.h"

#include <sys/types.h>

struct crash_options {
	uint64_t pid, tid, signal;
	uint64_t dump_mode; /* 1 lets the user read the files; with any other value only root may */
	uint64_t time;      /* seconds since 1970; 0 means now */
	uint64_t uid;       /* owner of the process; UINT64_MAX if not given */
	const char *reports, *core, *minidump; /* directories; the last two may be NULL */
	char **then;    /* command and arguments, terminated by NULL; or NULL */
	uint64_t count; /* frames per stack; 0 means all */
	uint64_t user;  /* UID of the reader and the packer */
	uint64_t group;
	uint64_t seconds, rate, keep, space;
	bool environment;
	const char *folders;
};

struct crash {
	struct crash_options options;
	struct crash_facts facts;
	struct crash_store store;
	struct os_limits limits;
	pid_t handler;
	int report;    /* unnamed file for the report */
	int messages;  /* unnamed file for the reader's standard error */
	int map;       /* unnamed file for the perf map or jitdump, if the core is kept */
	int dump;      /* unnamed file for the minidump, if one is requested */
	int core_file; /* output of the packer; -1 if the core is not kept */
};

int crash_handle(struct crash *crash);

/*
 * Read the core from standard input and write the report to standard output. Called in the reader.
 * With `failure`, the report only has the data from /proc and this reason. Return EXIT_MISSING if
 * the report says that something is missing, and EXIT_BROKEN if the report itself is incomplete.
 */
int crash_report(struct crash *crash, const char *failure);

/*
 * Compress standard input to `out`. Called in the packer. Return 0 or an errno value, which becomes
 * the exit status.
 */
int crash_pack(int out);

/* Return the suffix of the core's file name. It depends on whether cairn was built with zstd. */
const char *crash_core_ending(void);

enum { CRASH_OUT_READER, CRASH_OUT_PACKER, CRASH_OUT_COMMAND, CRASH_OUTPUTS };

/*
 * Copy `in` to every descriptor of `out` that is not -1, at the pace of the slowest. Stops at the
 * end of the stream, when no output is left, or at the time `until`. An output that accepts nothing
 * for `patience` nanoseconds while the others wait is dropped. All outputs are closed and set to
 * -1. Return true if the stream ended and neither the reader nor the packer was dropped.
 */
bool crash_pass_stream(int in, int out[CRASH_OUTPUTS], uint64_t until, uint64_t patience);

uint64_t crash_clock(void);

/*
 * The child processes of the handler. Each has its own standard input, and is killed when its time
 * is over.
 */

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

#endif
