/* SPDX-License-Identifier: MIT */
/* What a command says, and what it has GDB do: commands in the reply that GDB sources. */
#include "commands.h"

#include <stdarg.h>
#include <stdio.h>

enum { ECHO_MAX = 4096 }; /* bytes said by one command of a reply */

/* GDB reads a script byte by byte: what is said in one go is one echo. */
void reply_line(struct call *call)
{
	struct text *reply = call->reply;

	if (call->echo_end && call->echo_end == reply->size &&
	    reply->size - call->echo < ECHO_MAX) {
		reply->size--; /* the newline that ended the command */
	} else {
		call->echo = reply->size;
		text_add(reply, "echo ");
		if (call->line->size > 0 &&
		    call->line->data[0] == ' ') /* echo drops leading blanks */
			text_add(reply, "\\");
	}
	text_echo(reply, call->line->size ? call->line->data : "", call->line->size);
	text_add(reply, "\\n\n");
	call->echo_end = reply->size;
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

/* A string of C, in which a script would not look for its own arguments. */
static void set_error(struct text *reply, const char *message)
{
	text_add(reply, "with language c -- set $cairn_error = \"");
	for (const char *p = message; *p; p++) {
		if (*p == '"' || *p == '\\' || *p == '$')
			text_print(reply, "\\%03o", (unsigned)*p);
		else
			text_bytes(reply, *p < ' ' || *p > '~' ? "?" : p, 1);
	}
	text_add(reply, "\"\n");
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
	set_error(call->reply, line);
	call->failed = true;
}

void reply_set(struct call *call, const char *name, uint64_t value)
{
	text_print(call->reply, "cairn-set %s %#llxUL\n", name, (unsigned long long)value);
}

void reply_capture_begin(struct call *call)
{
	channel_begin_output(&call->session->channel, call->request->number + 1);
}

void reply_capture(struct call *call, const char *command)
{
	channel_capture(&call->session->channel, call->reply, command);
}

void reply_capture_end(struct call *call)
{
	channel_ask_again(call->reply, call->request->number + 1);
	call->session->waiting = true;
}

void reply_collect(struct call *call, const struct text *lines)
{
	reply_capture_begin(call);
	channel_collect(call->reply, lines, call->request->number + 1);
	call->session->waiting = true;
}
