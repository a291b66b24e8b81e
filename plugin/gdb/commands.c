/* SPDX-License-Identifier: MIT */
#include "commands.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct command commands[] = {
	{ "status", "[-json]",
	  "Show what cairn knows: its version, settings, and the modules it has met.", "status",
	  command_status, false },
	{ "modules", "[-json]", "List the modules that cairn has met, with their build IDs.",
	  "modules -json", command_modules, false },
	{ "where", "[-json] EXPRESSION",
	  "Show the module, function, line and unwind rule of an address.\n"
	  "The expression is in the current language of the program.",
	  "where $pc", command_where, false },
	{ "bt", "[-json] [-explain] [-full-path] [COUNT]",
	  "Print the stack of the selected thread as cairn unwinds it by SFrame.\n"
	  "With -explain each frame says how its caller was found, and why not.",
	  "bt -explain 10", command_bt, false },
	{ "sframe", "[-json] [EXPRESSION]",
	  "Show the SFrame rule at an address, of the innermost frame without an argument.",
	  "sframe main", command_sframe, false },
	{ "sync", "",
	  "Take the modules from GDB's own list (info files).\n"
	  "For slow remote targets, and cores that lack the headers of modules.",
	  "sync", command_sync, false },
	{ "load-reader", "PATH",
	  "Load another JIT reader, which is asked where cairn has no answer.\n"
	  "GDB has room for one reader; this makes room for more.",
	  "load-reader /usr/lib/gdb/libjit.so", command_load_reader, false },
	{ "unwinder", "", "", "", command_unwinder, true },
	{ "color", "", "", "", command_color, true },
	{ "ping", "", "", "", command_ping, true },
};

const unsigned command_count = sizeof(commands) / sizeof(*commands);

/* GDB reads a script line by line: one echo for each line said. */
void reply_line(struct call *call)
{
	text_add(call->reply, "echo ");
	if (call->line->size > 0 && call->line->data[0] == ' ') /* echo drops leading blanks */
		text_add(call->reply, "\\");
	text_echo(call->reply, call->line->size ? call->line->data : "", call->line->size);
	text_add(call->reply, "\\n\n");
	text_reset(call->line);
}

void reply_say(struct call *call, const char *format, ...)
{
	char line[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	text_add(call->line, line);
	reply_line(call);
}

void reply_error(struct call *call, const char *format, ...)
{
	char line[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (call->json) {
		text_add(call->line, "{\"error\":");
		text_json(call->line, line);
		text_add(call->line, "}");
		reply_line(call);
	} else {
		reply_say(call, "cairn: %s", line);
	}
	for (char *p = line; *p; p++)
		if (*p < ' ' || *p > '~' || strchr("\"\\$", *p))
			*p = '?';
	text_print(call->reply, "with language c -- set $cairn_error = \"%s\"\n", line);
	call->failed = true;
}

void reply_set(struct call *call, const char *name, uint64_t value)
{
	text_print(call->reply, "with language c -- set $%s = %#llxUL\n", name,
	           (unsigned long long)value);
}

void reply_capture_begin(struct call *call)
{
	channel_begin_output(&call->session->channel, call->reply, call->request->number);
}

void reply_capture(struct call *call, const char *command)
{
	channel_capture(&call->session->channel, call->reply, command);
}

void reply_capture_end(struct call *call)
{
	channel_ask_again(&call->session->channel, call->reply);
	call->session->waiting = true;
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1] != '\0' && (word[1] < '0' || word[1] > '9');
}

static const char *bare(const char *word)
{
	return word + 1 + (word[1] == '-');
}

bool call_option(const struct call *call, const char *name)
{
	const struct request *r = call->request;

	for (unsigned i = 0; i < r->word_count && is_option(r->words[i]); i++)
		if (strcmp(bare(r->words[i]), name) == 0)
			return true;
	return false;
}

const char *call_expression(struct call *call)
{
	const struct request *r = call->request;
	unsigned first = 0;

	while (first < r->word_count && is_option(r->words[first]) &&
	       strcmp(r->words[first], "--") != 0)
		first++;
	if (first < r->word_count && strcmp(r->words[first], "--") == 0)
		first++;
	text_reset(&call->session->expression);
	for (unsigned i = first; i < r->word_count; i++) {
		text_add(&call->session->expression, i > first ? " " : "");
		text_add(&call->session->expression, r->words[i]);
	}
	return call->session->expression.size ? call->session->expression.data : "";
}

const char *call_path(struct call *call)
{
	struct text *text = &call->session->expression;
	const char *path = call_expression(call);

	if (*path != '"' || text->size < 2 || path[text->size - 1] != '"')
		return path;
	text->data[text->size - 1] = '\0';
	return path + 1;
}

void reply_capture_value(struct call *call, const char *expression)
{
	struct text *command = &call->session->command;

	text_reset(command);
	text_print(command, "printf \"V%%lx\\n\", ");
	text_add(command, expression);
	reply_capture(call, command->cut ? "echo" : command->data);
}

bool call_value(const struct call *call, uint64_t *value)
{
	const char *at = call->output ? strchr(call->output, 'V') : NULL;
	char *end;

	if (!at)
		return false;
	*value = strtoull(at + 1, &end, 16);
	return end > at + 1;
}

/* The words of the first call are kept while GDB is asked. */
static void keep(struct session *s, const struct request *request)
{
	text_reset(&s->words);
	s->kept = *request;
	for (unsigned i = 0; i < request->word_count; i++)
		text_bytes(&s->words, request->words[i], strlen(request->words[i]) + 1);
	size_t at = 0;
	for (unsigned i = 0; i < request->word_count && !s->words.cut; i++) {
		s->kept.words[i] = s->words.data + at;
		at += strlen(s->words.data + at) + 1;
	}
	if (s->words.cut)
		s->kept.word_count = 0;
}

void command_run(struct session *session, const struct cairn_registers *frame)
{
	struct request request;

	if (!channel_take(&session->channel, &request))
		return;
	bool resumed = request.again && session->waiting && request.number == session->kept.number;
	session->waiting = false;
	if (request.again && !resumed)
		return;
	if (request.again)
		session->stage++;
	else {
		keep(session, &request);
		session->stage = 0;
		session->gdb_major = request.gdb_major;
	}
	if (session->kept.verb >= command_count)
		return;
	text_reset(&session->reply);
	text_reset(&session->line);
	struct call call = { .session = session,
		             .request = &session->kept,
		             .frame = frame,
		             .output = resumed ? request.output : NULL,
		             .output_size = resumed ? request.output_size : 0,
		             .reply = &session->reply,
		             .line = &session->line };
	call.json = call_option(&call, "json");
	commands[session->kept.verb].run(&call);
	if (!call.failed && !session->waiting)
		text_add(&session->reply, "with language c -- set $cairn_ok = 1\n"
		                          "with language c -- set $cairn_error = \"\"\n");
	channel_reply(&session->channel, session->kept.number, &session->reply);
}
