/* SPDX-License-Identifier: MIT */
/*
 * The modules and symbol objects that GDB has loaded, as listed by `info files`. Querying GDB each
 * time avoids keeping state that GDB may have changed by a new run, another program or another
 * inferior. Without a process there is one module, the program, which is described by its file.
 *
 *	gdb_state_request(call, "");                     ... and when the command is called again:
 *	struct gdb_state *state = gdb_state_read(call);
 */
#ifndef CAIRN_GDB_QUERIES_GDB_STATE_H
#define CAIRN_GDB_QUERIES_GDB_STATE_H

#include "gdb_output.h"
#include "session.h"

/* Command that lists all files from which GDB has symbols; no section has the name ".cairn". */
#define LIST_OF_FILES "maint info sections -all-objects .cairn"

struct gdb_state {
	int inferior;
	bool alive; /* there is a process, or a core */
	/* GDB has no symbols of the program, or has them from the program's own file */
	bool whole;
	struct info_files files;
	/* file of the module that was queried last */
	struct cairn_program program;
	char path[CAIRN_HOST_MODULE_NAME_MAX + 1], name[CAIRN_HOST_MODULE_NAME_MAX + 1];
};

/*
 * Query the state. `more` is GDB commands whose output follows it, and may be empty. Returns
 * ANSWER_PENDING.
 */
enum answer gdb_state_request(struct command_call *call, const char *more);

/*
 * Read the state and add the modules to the space. The result belongs to the session until the
 * command ends. Returns NULL and reports an error if memory is short.
 */
struct gdb_state *gdb_state_read(struct command_call *call);

/*
 * Read module number `index` with GDB's name for it. Returns false if it cannot be read. The name
 * and the build ID are valid until the next call.
 */
bool gdb_state_module(struct command_call *call, struct gdb_state *state, size_t index,
                      struct cairn_module *module);

/*
 * Return the data of the program's file if the module is the program, the file has this build, and
 * it does not contain debug information, so that GDB can be made to find symbols for it. Otherwise
 * returns NULL. The result is valid until the next call.
 */
const struct cairn_program *gdb_state_program(struct gdb_state *state, size_t index,
                                              const struct cairn_module *module);

bool gdb_state_lists_object(const struct gdb_session *session, const struct source_object *object,
                            const char *said);

/* Return true if there is anything to load symbols for; otherwise report that there is not. */
bool gdb_state_check(struct command_call *call);

#endif
