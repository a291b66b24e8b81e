/* SPDX-License-Identifier: MIT */
/*
 * `cairn crash`: the handler that the kernel starts for each crash (core_pattern). It runs as root,
 * and any user controls its input, so it is split into processes:
 *
 *	the handler    root: copies data from /proc (process), creates files (store), forwards
 *	               the core's stream (stream), waits for its children and kills them at their
 *	               time limits (handler). It never parses any of these bytes.
 *	the reader     unprivileged: reads the core and the copies, and writes the report (report,
 *	               process) to an unnamed file.
 *	the packer     unprivileged: compresses the core (stream).
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
	/*
	 * dump mode from the kernel (%d): if 1, `group` may read the files, too; otherwise only
	 * root may
	 */
	uint64_t dump_mode;
	uint64_t time; /* time of the crash in seconds since 1970; 0 means now */
	uint64_t uid;  /* UID of the crashed process; UINT64_MAX if not given */
	/* output directories for each kind of file; `core` and `minidump` may be NULL */
	const char *reports, *core, *minidump;
	char **then;    /* command after --then and its arguments, terminated by NULL; or NULL */
	uint64_t count; /* maximum number of frames per stack; 0 means all */
	uint64_t user;  /* UID that the reader and the packer run as */
	uint64_t group;
	uint64_t seconds, rate, keep, space;
	bool environment;
	const char *directories;
};

struct crash {
	struct crash_options options;
	struct crash_facts facts;
	struct crash_store store;
	struct os_limits limits;
	pid_t handler;
	/*
	 * Unnamed files for the report, the reader's standard error, the perf map or jitdump
	 * (written only if the core is kept) and the minidump (written only on request).
	 */
	int report;
	int messages;
	int map;
	int dump;
	int core_file; /* file for the packer's output; -1 if the core is not kept */
};

int crash_handle(struct crash *crash);

/*
 * Read the core from standard input and write the report to standard output; called in the reader.
 * If `failure` is set, the report contains only the data from /proc and this reason. Return
 * EXIT_MISSING if the report lists missing data, and EXIT_BROKEN if the report itself is
 * incomplete.
 */
int crash_report(struct crash *crash, const char *failure);

/*
 * Compress standard input to `out`; called in the packer. Return 0 or an errno value, which becomes
 * the exit status.
 */
int crash_pack(int out);

/* Return the suffix of core file names, which depends on whether cairn was built with zstd. */
const char *crash_core_ending(void);

enum { CRASH_OUT_READER, CRASH_OUT_PACKER, CRASH_OUT_COMMAND, CRASH_OUTPUTS };

/*
 * Copy `in` to every descriptor in `out` that is not -1, at the pace of the slowest. Stops at the
 * end of the stream, when no output is left, or at the time `until`. An output that accepts no data
 * for `patience` nanoseconds while the others wait for it is dropped. On return all outputs are
 * closed and set to -1. Return true if the stream has ended and neither the reader nor the packer
 * was dropped.
 */
bool crash_pass_stream(int in, int out[CRASH_OUTPUTS], uint64_t until, uint64_t patience);

uint64_t crash_clock(void);

/*
 * Child processes of the handler. Each has a standard input of its own, and is killed if it exceeds
 * its time limit.
 */

enum { CHILD_WHY = 96 };

struct crash_child {
	pid_t pid; /* process ID; 0 if not started, negative if fork() failed */
	int status;
	bool late;           /* true if the process was killed because it exceeded its time limit */
	char why[CHILD_WHY]; /* explains the failure; empty on success */
};

struct crash_core {
	bool wanted, kept;
	char why[CHILD_WHY];
	char name[NAME_CAPACITY];
	/* temporary name of the core's file until it is complete; otherwise empty */
	char temporary[NAME_CAPACITY];
	uint64_t size;
	struct crash_child packer;
};

struct crash_kept {
	/*
	 * names of the files with the perf map or jitdump and with the minidump; empty if not kept
	 */
	char map[NAME_CAPACITY];
	char dump[NAME_CAPACITY];
	/* why a requested minidump could not be created; otherwise NULL */
	const char *dump_missing;
};

#endif
