/* SPDX-License-Identifier: MIT */
/* What each debugger loads of cairn, by which line of which start-up file. */
#ifndef CAIRN_CLI_SETUP_DEBUGGERS_H
#define CAIRN_CLI_SETUP_DEBUGGERS_H

#include "start_file.h"

enum { SETUP_PATH = 4096 };

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
 * the same build.  False when the name would be too long, or the program's own is not known.
 */
bool setup_debugger_file(const struct setup_debugger *debugger, char path[SETUP_PATH]);

/* Its start-up file, links followed; false when the environment does not name the user's folder. */
bool setup_debugger_start_file(const struct setup_debugger *debugger, char path[SETUP_PATH]);

#endif
