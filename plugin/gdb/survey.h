/* SPDX-License-Identifier: MIT */
/*
 * What is loaded now, in GDB's own words (`info files`): the modules, and which of the objects that
 * were handed to it GDB holds.  So nothing has to be remembered that GDB might have changed: a new
 * run, another program, another inferior.
 *
 *	survey_ask(call);                         ... and when the command is called again:
 *	const struct survey *survey = survey_take(call);
 */
#ifndef CAIRN_GDB_SURVEY_H
#define CAIRN_GDB_SURVEY_H

#include "commands.h"
#include "files.h"

struct survey {
	int inferior;
	struct files files;
};

void survey_ask(struct call *call);

/* Takes the modules over into the space, too. */
const struct survey *survey_take(struct call *call);

/*
 * Module number `index` as the space knows it, with the name that GDB has for it; false when it
 * cannot be read.  The name is kept until the next call.
 */
bool survey_module(struct call *call, const struct survey *survey, size_t index,
                   struct cairn_module *module);

/* Is that what the user calls the module: its path, or the last part of it? */
bool survey_is_called(const struct cairn_module *module, const char *name);

#endif
