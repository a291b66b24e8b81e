/* SPDX-License-Identifier: MIT */
/*
 * `cairn open`: a confined process converts a minidump to a core, and this process starts a
 * debugger on the core. The parts: convert (the confined process), captured (makes stacks from a
 * log), debugger (starts the debugger).
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
	struct bt bt;
	struct option_words exes; /* FILE[@BASE] */
	bool captured;
	int incomplete; /* EXIT_MISSING if the stacks lack a part of the log */
	const char *out;
	enum open_debugger debugger;
	const char *command;    /* debugger program; NULL for the usual name of the debugger */
	char *const *arguments; /* arguments for the debugger, terminated by NULL */
	/* temporary directory that is removed at the end, or empty */
	char folder[OPEN_PATH];
	int folder_lock; /* descriptor; -1 without a directory */
	char core[OPEN_PATH];
	/* absolute path of a directory for files that replace missing module files, or empty */
	char modules[OPEN_PATH];
	char script[OPEN_PATH];
	char program[OPEN_PATH]; /* the program's file; empty if it was not found */
};

/*
 * Create the core and the script in a confined process, and set open->program. Return the exit
 * status, which is at least EXIT_BROKEN if there is no core.
 */
int open_convert(struct open *open);

/* Open the input as stacks. Return EXIT_CLEAN, or another exit status after a message. */
int open_input(struct open *open);

/*
 * Run the debugger and wait for it. Return its exit status, or EXIT_BROKEN if it cannot be started.
 */
int open_start_debugger(const struct open *open);

#endif
