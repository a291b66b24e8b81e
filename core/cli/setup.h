/* SPDX-License-Identifier: MIT */
/*
 * Shared by `cairn setup` and `cairn doctor`: the file that each debugger loads of cairn, and the line
 * in its start-up file that does so.
 */
#ifndef CAIRN_CLI_SETUP_H
#define CAIRN_CLI_SETUP_H

#include "cli/front/cli.h"

struct start_line {
	const char *command;   /* such as "source" */
	const char *file_name; /* base name, such as "cairn.gdb" */
};

/* SETUP_START_FILE_MAX is larger than any start-up file written by hand. */
enum { SETUP_PATH = OWN_FILE_PATH, SETUP_START_FILE_MAX = 1 << 20 };

struct setup_debugger {
	const char *name;
	struct start_line line;
	/* path that the line loads: absolute, or relative to the installation prefix */
	const char *installed;
	const char *built; /* the same, relative to the build directory */
	/*
	 * environment variable and path below it; the first existing file is used, otherwise the
	 * last
	 */
	const char *start_files[3][2];
	bool quoted;
};

const struct setup_debugger *setup_debugger_find(const char *name);

/*
 * Find the file that the debugger loads, from the same installation or build as this program.
 * Return false if this program's path is unknown, too long, or contains characters that cannot be
 * quoted in a debugger's command.
 */
bool setup_debugger_file(const struct setup_debugger *debugger, char path[SETUP_PATH]);

/*
 * Find the start-up file and resolve symbolic links. Return false if the user's home directory is
 * unknown.
 */
bool setup_debugger_start_file(const struct setup_debugger *debugger, char path[SETUP_PATH]);

/*
 * Open a start-up file. Return 0, EFBIG above SETUP_START_FILE_MAX, ENOENT or another errno value.
 */
CAIRN_MUST_USE int setup_start_file_open(const char *path, struct os_file *file);

/* Set *loads to true if the file loads cairn. Return 0 or an errno value. */
CAIRN_MUST_USE int setup_start_file_loads(const struct setup_debugger *debugger, const char *path,
                                          bool *loads);

/* Result of one check of `cairn doctor`. */
enum finding_state {
	FINDING_OK,
	FINDING_NOTE,  /* works, but the user may want to know */
	FINDING_FAULT, /* the installation is incomplete */
};

enum { FINDING_TEXT = 8192 };

struct finding {
	const char *check;
	enum finding_state state;
	char seen[FINDING_TEXT];
	char advice[FINDING_TEXT]; /* empty if nothing needs to be done */
};

/* Describe the optional libraries of this build. External because a test compiles it for other builds. */
void doctor_parts(struct finding *finding);

#endif
