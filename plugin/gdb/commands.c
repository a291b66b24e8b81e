/* SPDX-License-Identifier: MIT */
/*
 * Defines the commands that exist only in GDB, which are about cairn's unwinder, other JIT readers,
 * and GDB's list of modules. Also lists all commands and runs the requested command.
 */
#include "commands.h"

#include "common/commands/commands.h"
#include "queries/gdb_output.h"
#include "queries/values.h"

#include <stdlib.h>
#include <string.h>

static enum answer set_unwinder(struct command_call *call)
{
	const char *word = command_call_expression(call);
	unsigned chosen = find_word_index(word, gdb_unwinder_names, 3);

	if (chosen == 3)
		reply_error(call, "unwinder must be auto, always or off, not \"%s\"", word);
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
		reply_error(call, "no memory to read yet: start the program or open a core");
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

/* Do nothing. The command serves only to send a request, which contains GDB's version. */
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

static const struct command *const commands[] = {
	&command_status,
	&command_modules,
	&command_where,
	&command_bt,
	&command_sframe,
	&command_demangle,
	&command_sync,
	&command_load_reader,
	&command_cbf,
	&command_markup,
	&command_find_cbf,
	&command_open,
	&command_close,
	&command_add_gsym,
	&command_add_symbfile,
	&command_add_breakpad,
	&command_add_sframe,
	&command_symbols_load,
	&command_symbols_unload,
	&command_set_auto_symbols,
	&command_show_auto_symbols,
	&command_set_directory,
	&command_show_directory,
	&command_set_unwinder,
	&command_show_unwinder,
	&command_set_color,
	&command_show_color,
	&command_ping,
	&command_gather,
};

const struct command_table command_table = { commands, sizeof(commands) / sizeof(*commands) };

/*
 * Copy the request, because its words are needed until GDB has answered all of the command's
 * queries.
 */
static void store_request(struct exchange *exchange, const struct request *request)
{
	struct text *bytes = &exchange->words;
	struct words *kept = &exchange->kept.words;
	size_t at = 0;

	text_reset(bytes);
	exchange->kept = *request;
	for (unsigned i = 0; i < kept->count; i++)
		text_bytes(bytes, request->words.word[i], strlen(request->words.word[i]) + 1);
	for (unsigned i = 0; i < kept->count && !bytes->cut; i++) {
		kept->word[i] = bytes->data + at;
		at += strlen(bytes->data + at) + 1;
	}
	if (bytes->cut)
		kept->count = 0;
}

static bool receive_request(struct gdb_session *s, struct request *request)
{
	struct exchange *exchange = &s->exchange;

	if (!channel_receive(&exchange->channel, request))
		return false;
	bool resumed =
		request->again && exchange->waiting && request->number == exchange->kept.number;
	exchange->waiting = false;
	if (request->again)
		return resumed;
	if (request->verb >= command_table.count)
		return false;
	store_request(exchange, request);
	exchange->asked = PENDING_NOTHING;
	s->unwinder.gdb_major = request->gdb_major;
	return true;
}

static void free_state(struct gdb_session *s)
{
	free(s->state);
	s->state = NULL;
}

static void execute_command(struct gdb_call *g, bool again)
{
	struct command_call *call = &g->call;

	if (!again)
		free_state(gdb_session(call));
	if (again || command_begin(call, commands[g->request->verb]))
		command_continue(call);
	if (call->failed)
		text_add(g->reply, "_cairn got\n");
	else if (!g->exchange->waiting)
		text_add(g->reply, "_cairn done\n");
	if (!g->exchange->waiting)
		free_state(gdb_session(call));
}

void command_run(struct gdb_session *session, const struct cairn_registers *frame, bool asked)
{
	static const char nothing[] = "\n";
	struct exchange *exchange = &session->exchange;
	struct text *line = &session->shared.line;
	struct request request;

	if (!receive_request(session, &request)) {
		channel_publish(&exchange->channel, nothing, sizeof(nothing) - 1);
		return;
	}
	text_reset(&exchange->reply);
	text_reset(line);
	line->colored = colors_enabled(session, &exchange->kept);
	struct gdb_call call = { .call = { .session = &session->shared,
		                           .words = &exchange->kept.words,
		                           .line = line },
		                 .exchange = exchange,
		                 .request = &exchange->kept,
		                 .frame = frame,
		                 .output = request.again ? request.output : "",
		                 .output_size = request.again ? request.output_size : 0,
		                 .reply = &exchange->reply,
		                 .asked = asked };
	execute_command(&call, request.again);
	channel_reply(&exchange->channel, exchange->kept.number, &exchange->reply);
	exchange->kept.number += exchange->waiting;
}
