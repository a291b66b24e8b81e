/* SPDX-License-Identifier: MIT */
/* What each debugger loads of cairn, by which line of which start-up file. */
#ifndef CAIRN_CLI_SETUP_DEBUGGERS_H
#define CAIRN_CLI_SETUP_DEBUGGERS_H

#include "cli/front/cli.h"
#include "os/file/file.h"
#include "start_file.h"

/* The second: more than any start-up file that a person wrote. */
enum { SETUP_PATH = OWN_FILE_PATH, SETUP_START_FILE_MAX = 1 << 20 };

struct setup_debugger {
	const char *name;
	struct start_line line;
	const char *installed; /* what the line loads: below the prefix, or from the root on */
	const char *built;     /* the same below the folder of a build */
	const char *start_files[3][2]; /* the first that exists, or else the last: variable, rest */
	bool quoted;                   /* names of files stand in quotes */
};

/* NULL when there is none of that name. */
const struct setup_debugger *setup_debugger_find(const char *name);

/*
 * The file that the debugger is to load, beside this very program: of the same installation, or of
 * the same build.  False when the program's own name is not known, too long, or has characters that
 * no command of a debugger can hold.
 */
bool setup_debugger_file(const struct setup_debugger *debugger, char path[SETUP_PATH]);

/* Its start-up file, links followed; false when the environment does not name the user's folder. */
bool setup_debugger_start_file(const struct setup_debugger *debugger, char path[SETUP_PATH]);

/* Opens a start-up file, which may be the user's; EFBIG above SETUP_START_FILE_MAX, ENOENT, ... */
CAIRN_MUST_USE int setup_start_file_open(const char *path, struct os_file *file);

/* Does the file load cairn?  0 or an errno value. */
CAIRN_MUST_USE int setup_start_file_loads(const struct setup_debugger *debugger, const char *path,
                                          bool *loads);

#endif
