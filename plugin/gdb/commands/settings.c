/* SPDX-License-Identifier: MIT */
/* Commands for GDB's side of cairn: the unwinder, other JIT readers, and GDB's list of modules. */
#include "commands.h"
#include "gdb_debugger.h"

#include "common/commands/commands.h"
#include "queries/info_files.h"
#include "queries/value.h"

static enum answer set_unwinder(struct command_call *call)
{
	const char *word = command_call_expression(call);
	unsigned chosen = find_word_index(word, gdb_unwinder_names, 3);

	if (chosen == 3)
		reply_error(call, "the unwinder is auto, always or off, not \"%s\"", word);
	else if (chosen != gdb_session(call)->unwinder.policy && gdb_select_innermost(call))
		gdb_session(call)->unwinder.policy = (enum unwind_policy)chosen;
	return gdb_answer(call);
}

static enum answer show_unwinder(struct command_call *call)
{
	reply_print(call, "The unwinder of cairn is \"%s\".",
	            gdb_unwinder_names[gdb_session(call)->unwinder.policy]);
	return gdb_answer(call);
}

static enum answer load_reader(struct command_call *call)
{
	if (!gdb_select_innermost(call))
		return gdb_answer(call);
	const char *path = command_call_path(call);
	const char *why = other_readers_load(&gdb_session(call)->others, path);
	if (why)
		reply_error(call, "cannot load %s: %s", path, why);
	return gdb_answer(call);
}

static enum answer sync_modules(struct command_call *call)
{
	struct info_files *files = call->context;
	struct gdb_call *g = gdb_call(call);

	if (!gdb_session(call)->unwinder.target_read) {
		reply_error(call,
		            "there is no memory to read yet: start the program or open a core");
		return gdb_answer(call);
	}
	if (!gdb_has_answered(call, PENDING_FILES)) {
		gdb_order_innermost(call);
		gdb_capture_begin(call);
		gdb_capture(call, "info files");
		return gdb_capture_end(call, PENDING_FILES);
	}
	info_files_read((struct cairn_bytes){ (const uint8_t *)g->output, g->output_size }, files);
	const size_t added = info_files_report(files, call->session->space);
	reply_set(call, "cairn_modules", added);
	reply_print(call, "%zu modules%s", added, files->cut ? "; there were more" : "");
	return gdb_answer(call);
}

const struct command command_set_unwinder = {
	.name = "set cairn unwinder",
	.usage = "auto|always|off",
	.help = "Set which frames cairn unwinds.\n"
		"auto: those for which GDB has no call frame information (the default);\n"
		"always: every frame whose module has SFrame; off: none.",
	.example = "set cairn unwinder always",
	.steps = { set_unwinder },
};

const struct command command_show_unwinder = {
	.name = "show cairn unwinder",
	.usage = "",
	.help = "Show which frames cairn unwinds.",
	.steps = { show_unwinder },
};

const struct command command_load_reader = {
	.name = "cairn load-reader",
	.usage = "PATH",
	.help = "Load another JIT reader, which cairn asks when it has no answer itself.\n"
		"GDB loads only one reader; with this command it can use more.",
	.example = "cairn load-reader /usr/lib/gdb/libjit.so",
	.steps = { load_reader },
};

const struct command command_sync = {
	.name = "cairn sync",
	.usage = "",
	.help = "Take the modules from GDB's own list (info files).\n"
		"Use it for slow remote targets, and for cores that lack the headers of modules.",
	.example = "cairn sync",
	.steps = { sync_modules },
	.context_size = sizeof(struct info_files),
};

/* Do nothing: the request itself contains GDB's version. */
static enum answer answer_ping(struct command_call *call)
{
	(void)call;
	return ANSWER_READY;
}

const struct command command_ping = {
	.name = "_cairn ping",
	.usage = "",
	.steps = { answer_ping },
};
