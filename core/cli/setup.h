/* SPDX-License-Identifier: MIT */
/*
 * Shared by `cairn setup` and `cairn doctor`: the files of cairn that each debugger loads, and the
 * line in the debugger's start-up file that loads them.
 */
#ifndef CAIRN_CLI_SETUP_H
#define CAIRN_CLI_SETUP_H

#include "cli/front/cli.h"

struct start_line {
	const char *command;   /* such as "source" */
	const char *file_name; /* base name of the loaded file, such as "cairn.gdb" */
};

/* Maximum size of a start-up file, far above the size of any file written by hand. */
enum { SETUP_PATH = OWN_FILE_PATH, SETUP_START_FILE_MAX = 1 << 20 };

struct setup_debugger {
	const char *name;
	struct start_line line;
	/*
	 * paths of the file to load: `installed` is absolute or relative to the installation
	 * prefix, and `built` is relative to the build directory
	 */
	const char *installed;
	const char *built;
	/*
	 * pairs of an environment variable and a path relative to its value; the first existing
	 * file is used, or the last one if no file exists
	 */
	const char *start_files[3][2];
	bool quoted;
};

const struct setup_debugger *setup_debugger_find(const char *name);

/*
 * Find the file that the debugger loads, from the same installation or build as this program.
 * Return false if the path of this program is unknown, too long, or contains characters that cannot
 * be quoted in a debugger command.
 */
bool setup_debugger_file(const struct setup_debugger *debugger, char path[SETUP_PATH]);

/*
 * Find the start-up file and resolve symbolic links. Return false if the home directory is unknown.
 */
bool setup_debugger_start_file(const struct setup_debugger *debugger, char path[SETUP_PATH]);

/*
 * Open a start-up file. Return 0, ENOENT, EFBIG if the file exceeds SETUP_START_FILE_MAX, or
 * another errno value.
 */
CAIRN_MUST_USE int setup_start_file_open(const char *path, struct os_file *file);

CAIRN_MUST_USE int setup_start_file_loads(const struct setup_debugger *debugger, const char *path,
                                          bool *loads);

enum finding_state {
	FINDING_OK,
	FINDING_NOTE,  /* no fault, but the user may want to know */
	FINDING_FAULT, /* part of the installation is missing or broken */
};

enum { FINDING_TEXT = 8192 };

struct finding {
	const char *check;
	enum finding_state state;
	char seen[FINDING_TEXT];
	char advice[FINDING_TEXT]; /* what the user should do; empty if there is nothing to do */
};

/*
 * Describe the optional libraries of this build. Not static, because a test compiles this function
 * for other builds.
 */
void doctor_parts(struct finding *finding);

#endif
