/* SPDX-License-Identifier: MIT */
/* Holds the table of commands, receives requests and runs the requested commands. */
#include "commands.h"

#include "common/commands/commands.h"
#include "queries/colors.h"

#include <stdlib.h>
#include <string.h>

static const struct command *const commands[] = {
	&command_status,
	&command_modules,
	&command_where,
	&command_bt,
	&command_sframe,
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

/* Copy the request, whose words are needed until GDB has answered all queries. */
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
		free_state(gdb_session(call)); /* left by an interrupted command */
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
