/* SPDX-License-Identifier: MIT */
/*
 * `cairn crash`: the handler that the kernel starts for each crash (core_pattern). It is a program of
 * root that any user feeds, so its parts are processes:
 *
 *	the handler    as root: copies what /proc has (facts), makes files (store), passes the stream of
 *	               the core on (stream), waits and ends what takes too long (handler). It looks into
 *	               none of the bytes.
 *	the reader     without privileges: reads the core and the copies, and writes the report (report,
 *	               process_head) into a file without a name.
 *	the packer     without privileges: packs the core (packer).
 *	COMMAND        what --then names, with the same stream.
 */
#ifndef CAIRN_CLI_CRASH_CRASH_H
#define CAIRN_CLI_CRASH_CRASH_H

#include "facts.h"
#include "store.h"

#include "os/confine.h"

#include <sys/types.h>

struct crash_options {
	uint64_t pid, tid, signal;
	uint64_t dump_mode;                    /* 1: the user may see it; all else is for root */
	uint64_t time;                         /* seconds since 1970; 0: now */
	uint64_t uid;                          /* of the process; UINT64_MAX: not given */
	const char *reports, *core, *minidump; /* folders; the last two may be NULL */
	char **then;    /* the command and its arguments, NULL at the end; or NULL */
	uint64_t count; /* frames of each stack */
	uint64_t user;  /* of the reader and the packer */
	uint64_t group; /* of the files */
	uint64_t seconds, rate, keep, space;
	bool environment;
	const char *folders; /* with symbols and debug files */
};

/* One crash, as all parts see it. */
struct crash {
	struct crash_options options;
	struct crash_facts facts;
	struct crash_store store;
	struct os_limits limits;
	pid_t handler;
	int report;    /* the file without a name that the reader writes to */
	int messages;  /* the same for what it prints on standard error */
	int map;       /* the same for what names code that the process made, if the core is kept */
	int dump;      /* the same for the minidump, if one is wanted */
	int core_file; /* that the packer writes to; -1: none */
};

/* The handler; an exit status. */
int crash_handle(struct crash *crash);

/*
 * In the reader: reads the core from standard input and writes the report to standard
 * output. With `failure` only what /proc had. Returns the exit status of the process: EXIT_MISSING when the
 * report says what is missing, EXIT_BROKEN when it is not whole.
 */
int crash_report(struct crash *crash, const char *failure);

/* In the packer: copies standard input to `out`, packed. Returns the exit status: 0, or an errno value. */
int crash_pack(int out);

/* The ending of the name of a core's file: whether the packer packs is decided when cairn is built. */
const char *crash_core_ending(void);

/* To whom the stream goes. */
enum { CRASH_OUT_READER, CRASH_OUT_PACKER, CRASH_OUT_COMMAND, CRASH_OUTPUTS };

/*
 * Copies `in` to all of `out` (-1: none) until it ends, none of them takes any more, or the time has
 * come; as fast as the slowest. Who takes nothing for `patience` nanoseconds, while others wait, is given
 * up. Descriptors that are done with are closed and -1. True: the stream ended, and nobody was given up.
 */
bool crash_pass_stream(int in, int out[CRASH_OUTPUTS], uint64_t until, uint64_t patience);

/* Nanoseconds of a clock that is never set. */
uint64_t crash_clock(void);

#endif
