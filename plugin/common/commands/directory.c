/* SPDX-License-Identifier: MIT */
/* The directory setting: where to look for symbols in addition to the standard locations. */
#include "commands.h"

#include "common/base/path.h"
#include "common/loading/loader.h"

#include <stdlib.h>

static enum answer set_directory(struct command_call *call)
{
	const struct symbol_loader *loader = call->session->debugger->loader;
	char **directories = &call->session->sources.directories;
	struct text list = { .data = NULL };

	path_add_list(&list, command_call_path(call));
	if (list.cut) {
		reply_error(call, "out of memory");
		text_finish(&list);
		return ANSWER_FAILED;
	}
	free(*directories);
	*directories = list.data;
	if (loader && loader->look_again)
		loader->look_again(call->session);
	return ANSWER_READY;
}

static enum answer show_directory(struct command_call *call)
{
	const char *directories = call->session->sources.directories;

	reply_print(call,
	            "cairn looks for symbols in \"%s\", beside the binary, in "
	            "/usr/lib/debug/.build-id and in the cache.",
	            directories ? directories : "");
	return ANSWER_READY;
}

const struct command command_set_directory = {
	.name = "set cairn directory",
	.old_name = "set cairn gsym-directory",
	.usage = "DIR[:DIR...]",
	.help = "Set which folders cairn searches for symbols.\n"
		"It looks for DIR/NAME.gsym and DIR/.build-id/ab/cdef.gsym, and for Breakpad\n"
		"files, symbfiles and SFrame tables with the same names.",
	.example = "set cairn directory /srv/symbols",
	.steps = { set_directory },
};

const struct command command_show_directory = {
	.name = "show cairn directory",
	.old_name = "show cairn gsym-directory",
	.usage = "",
	.help = "Show which folders cairn searches for symbols.",
	.steps = { show_directory },
};
