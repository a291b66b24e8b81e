/* SPDX-License-Identifier: MIT */
/*
 * The modules and symbol objects that GDB has loaded, as listed by `info files`. GDB is queried
 * each time, because a new run, another program or another inferior may have changed the state. If
 * no process exists, the program, described from its file, is the only module.
 *
 *	gdb_state_request(call, "");                     ... and when the step runs again:
 *	struct gdb_state *state = gdb_state_read(call);
 */
#ifndef CAIRN_GDB_QUERIES_GDB_STATE_H
#define CAIRN_GDB_QUERIES_GDB_STATE_H

#include "gdb_output.h"
#include "session.h"

/*
 * Command that lists all files from which GDB has symbols. Because no section is named ".cairn",
 * the command lists no sections.
 */
#define LIST_OF_FILES "maint info sections -all-objects .cairn"

struct gdb_state {
	int inferior;
	bool alive; /* a process or a core exists */
	/* GDB has no symbols for the program, or only symbols from the program's own file */
	bool whole;
	struct info_files files;
	struct cairn_program program;
	char path[CAIRN_HOST_MODULE_NAME_MAX + 1], name[CAIRN_HOST_MODULE_NAME_MAX + 1];
};

/*
 * Query the state. `more` may contain additional GDB commands, whose output follows the state.
 * Returns ANSWER_PENDING.
 */
enum answer gdb_state_request(struct command_call *call, const char *more);

/*
 * Read the state and add the modules to the space. The session owns the result until the command
 * ends. Returns NULL and reports an error if allocation fails.
 */
struct gdb_state *gdb_state_read(struct command_call *call);

/*
 * Describe the module with this index in *module, and name it as GDB does. Returns false if the
 * module cannot be read. The name and the build ID are valid until the next call.
 */
bool gdb_state_module(struct command_call *call, struct gdb_state *state, size_t index,
                      struct cairn_module *module);

/*
 * Return the program's file if the module is the program, the file has the module's build ID, and
 * it contains no debug information. Only then can GDB find cairn's symbols as the program's debug
 * file, so otherwise returns NULL. The result is valid until the next call.
 */
const struct cairn_program *gdb_state_program(struct gdb_state *state, size_t index,
                                              const struct cairn_module *module);

bool gdb_state_lists_object(const struct gdb_session *session, const struct source_object *object,
                            const char *said);

/* Return true if symbols can be loaded for any module; otherwise report an error. */
bool gdb_state_check(struct command_call *call);

#endif
