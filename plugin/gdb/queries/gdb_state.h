/* SPDX-License-Identifier: MIT */
/*
 * What is loaded now, in GDB's own words (`info files`): the modules, and which of the objects that
 * were handed to it GDB holds.  So nothing has to be remembered that GDB might have changed: a new
 * run, another program, another inferior.  Without a process there is one module, the program, and
 * its file tells of it.
 *
 *	survey_ask(call);                         ... and when the command is called again:
 *	const struct survey *survey = survey_take(call);
 */
#ifndef CAIRN_GDB_QUERIES_GDB_STATE_H
#define CAIRN_GDB_QUERIES_GDB_STATE_H

#include "info_files.h"

#include "commands/commands.h"

/* All files that GDB has symbols from, by name; no section is called so. */
#define LIST_OF_FILES "maint info sections -all-objects .cairn"

struct survey {
	int inferior;
	bool alive; /* there is a process, or a core */
	bool whole; /* GDB has the program's symbols from the program's own file, or none */
	struct files files;
};

void survey_ask(struct call *call);

/* The same, and GDB commands whose output stands behind it; may be empty. */
void survey_ask_also(struct call *call, const char *more);

/* Takes the modules over into the space, too. */
const struct survey *survey_take(struct call *call);

/*
 * Module number `index` with the name that GDB has for it; false when it cannot be read.  The name
 * and the build ID are kept until the next call.
 */
bool survey_module(struct call *call, const struct survey *survey, size_t index,
                   struct cairn_module *module);

/*
 * The file of the program, when the module is that, of this build, and without debug information of
 * its own: then GDB can be made to find symbols for it.  Else NULL.  Kept until the next call.
 */
const struct cairn_program *survey_program(const struct survey *survey, size_t index,
                                           const struct cairn_module *module);

/* Does GDB hold the object, by what it has said? */
bool survey_lists(const struct source_object *object, const char *said);

/* Is there something to load symbols for?  Says so when there is not. */
bool survey_check(struct call *call, const struct survey *survey);

/* Is that what the user calls the module: its path, or the last part of it? */
bool survey_is_called(const struct cairn_module *module, const char *name);

#endif
