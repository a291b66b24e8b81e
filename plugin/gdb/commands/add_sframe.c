/* SPDX-License-Identifier: MIT */
/* The command add-sframe: a file with an SFrame table, for a module that has lost its call frame information. */
#include "commands.h"

#include "common/base/path.h"
#include "gdb_debugger.h"
#include "queries/value.h"

#include <string.h>

/* GDB computes its frames anew, as after "set cairn unwinder". */
static enum answer add_sframe(struct command_call *call)
{
	const char *path = command_call_path(call);
	struct unwinder *unwinder = &gdb_session(call)->unwinder;
	struct cairn_fault fault;
	struct text whole = { .data = NULL };
	size_t modules = 0;

	if (!gdb_select_innermost(call))
		return gdb_answer(call);
	path_add_absolute(&whole, path, strlen(path));
	if (whole.cut ||
	    cairn_sframe_file_add(unwinder->space, whole.data, &modules, &fault) != CAIRN_OK)
		reply_error(call, "%s: %s; a file of \"cairn sframe create\" is expected", path,
		            whole.cut ? "out of memory" : fault.what);
	else if (!unwinder_add_side_file(unwinder, whole.data))
		reply_error(call, "%s: there are too many such files", path);
	else if (modules > 0)
		reply_print(call, "%s: frames of %zu module%s", path, modules,
		            modules == 1 ? "" : "s");
	else
		reply_print(call, "%s: for a module that is not known yet", path);
	text_finish(&whole);
	return gdb_answer(call);
}

const struct command command_add_sframe = {
	.name = "cairn add-sframe",
	.usage = "FILE",
	.help = "Unwind a module without call frame information by the SFrame table in FILE.\n"
		"FILE is what \"cairn sframe create\" made of the complete program; it is used "
		"for\n"
		"the module with its build ID, as soon as there is one.",
	.example = "cairn add-sframe /srv/app.sframe",
	.steps = { add_sframe },
};
