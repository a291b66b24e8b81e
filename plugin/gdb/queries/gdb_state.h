/* SPDX-License-Identifier: MIT */
/*
 * What is loaded now, in GDB's own words (`info files`): the modules, and which of the objects that
 * were handed to it GDB holds.  So nothing has to be remembered that GDB might have changed: a new
 * run, another program, another inferior.  Without a process there is one module, the program, and
 * its file knows of it.
 *
 *	gdb_state_request(call, "");                     ... and when the command is called again:
 *	struct gdb_state *state = gdb_state_read(call);
 */
#ifndef CAIRN_GDB_QUERIES_GDB_STATE_H
#define CAIRN_GDB_QUERIES_GDB_STATE_H

#include "info_files.h"

#include "session/session.h"

/* All files that GDB has symbols from, by name; no section is called so. */
#define LIST_OF_FILES "maint info sections -all-objects .cairn"

struct gdb_state {
	int inferior;
	bool alive; /* there is a process, or a core */
	bool whole; /* GDB has the program's symbols from the program's own file, or none */
	struct info_files files;
	/* of the module that was asked about last */
	struct cairn_program program;
	char path[CAIRN_HOST_MODULE_NAME_MAX + 1], name[CAIRN_HOST_MODULE_NAME_MAX + 1];
};

/* `more`: GDB commands whose output comes after it; may be empty.  ANSWER_PENDING. */
enum answer gdb_state_request(struct command_call *call, const char *more);

/*
 * Takes the modules over into the space, too.  It is the session's until the command ends.  NULL: out
 * of memory, which has been reported.
 */
struct gdb_state *gdb_state_read(struct command_call *call);

/*
 * Module number `index` with the name that GDB has for it; false when it cannot be read.  The name
 * and the build ID are kept until the next call.
 */
bool gdb_state_module(struct command_call *call, struct gdb_state *state, size_t index,
                      struct cairn_module *module);

/*
 * Returns what the program's file tells, if the module is the program, the file is of this build, and it has no debug
 * information: then GDB can be made to find symbols for it.  Else returns NULL.  The answer is kept until the next call.
 */
const struct cairn_program *gdb_state_program(struct gdb_state *state, size_t index,
                                              const struct cairn_module *module);

/* Does GDB hold the object, by what it has printed? */
bool gdb_state_lists_object(const struct gdb_session *session, const struct source_object *object,
                            const char *said);

/* Is there something to load symbols for?  Says so when there is not. */
bool gdb_state_check(struct command_call *call);

#endif
