/* SPDX-License-Identifier: MIT */
/*
 * `cairn open`: a confined process makes a core of a minidump, and this one starts a debugger on it. The parts of the
 * verb: convert (the confined process), captured (a log, of which stacks are made first), debugger (what is started, and
 * with what).
 */
#ifndef CAIRN_CLI_OPEN_OPEN_H
#define CAIRN_CLI_OPEN_OPEN_H

#include "cli/bt/bt.h"

enum {
	OPEN_PATH = 4096,
};

enum open_debugger {
	OPEN_NONE,
	OPEN_GDB,
	OPEN_LLDB,
};

struct open {
	struct bt bt;             /* of the minidump */
	struct option_words exes; /* FILE[@BASE] */
	bool captured;            /* the input is a log */
	int incomplete;           /* EXIT_MISSING: not all of the log is in the stacks */
	const char *out;
	enum open_debugger debugger;
	const char *command;    /* the debugger's program; NULL: its usual name */
	char *const *arguments; /* for it; ends with NULL */
	char folder[OPEN_PATH]; /* that is removed at the end; empty: there is none */
	int folder_lock;        /* a descriptor; -1 without a folder */
	char core[OPEN_PATH];
	char modules
		[OPEN_PATH]; /* the whole path of a folder of files that stand in for those of modules; empty: none */
	char script[OPEN_PATH];  /* for GDB, in the folder */
	char program[OPEN_PATH]; /* the program's file; empty: it was not found */
};

/*
 * Makes the core and the script in a confined process, and fills open->program. Returns an exit status; it is
 * EXIT_BROKEN or higher if no core was made.
 */
int open_convert(struct open *open);

/* Opens the input as stacks; returns an exit status, after a message. */
int open_input(struct open *open);

/* Runs the debugger and waits for its end: its exit status, or EXIT_BROKEN if it cannot be started. */
int open_start_debugger(const struct open *open);

#endif
