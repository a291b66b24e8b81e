/* SPDX-License-Identifier: MIT */
/* Formats a command's output and the GDB commands in the reply that GDB sources. */
#include "call.h"
#include "gdb_text.h"

#include "common/base/json_writer.h"

#include <stdarg.h>
#include <stdio.h>

/*
 * Bytes of text in one printf: GDB puts what a printf prints on its stack, and a line of the
 * target's may have megabytes.  Short lines share a printf until it has so many bytes, and a long
 * line gets several.  So a command has at most twice as many, and half of that again for each
 * argument's three bytes.
 */
enum { REPLY_LINE_MAX = 4096 };

/* What ends the printf: its arguments. */
static void end_printf(struct command_call *call)
{
	size_t begin = call->reply->size;

	text_add(call->reply, "\"");
	for (size_t i = 0; i < call->said.arguments; i++)
		text_add(call->reply, ",36");
	text_add(call->reply, "\n");
	call->said.end = call->reply->size;
	call->said.tail = call->reply->size - begin;
}

/* A printf that goes on where the last one ended, or a new one. */
static void begin_printf(struct command_call *call)
{
	struct text *reply = call->reply;

	if (call->said.end && call->said.end == reply->size &&
	    reply->size - call->said.begin < REPLY_LINE_MAX) {
		reply->size -= call->said.tail;
		return;
	}
	call->said.begin = reply->size;
	call->said.arguments = 0;
	text_add(reply, "printf \"");
}

/*
 * GDB reads a script byte by byte, so what is said in one go is one command; and it is printf, for
 * echo writes byte by byte.
 */
void reply_line(struct command_call *call)
{
	struct text_part part = { .at = 0 };
	bool last;

	do {
		begin_printf(call);
		last = text_format(call->reply, call->line, REPLY_LINE_MAX, &part);
		call->said.arguments += part.arguments;
		text_add(call->reply, last ? "\\n" : "");
		end_printf(call);
	} while (!last);
	call->reply->cut = call->reply->cut || call->line->cut;
	text_reset(call->line);
}

void reply_print(struct command_call *call, const char *format, ...)
{
	char line[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	text_add(call->line, line);
	reply_line(call);
}

/*
 * A string of C, in which a script would not look for its own arguments; and a value, which may be
 * larger than the user lets values be.
 */
static void set_error(struct text *reply, const char *message)
{
	text_add(reply,
	         "with max-value-size unlimited -- with language c -- set $cairn_error = \"");
	for (const char *p = message; *p; p++) {
		if (*p == '"' || *p == '\\' || *p == '$')
			text_print(reply, "\\%03o", (unsigned)*p);
		else
			text_bytes(reply, *p < ' ' || *p > '~' ? "?" : p, 1);
	}
	text_add(reply, "\"\n");
}

void reply_error(struct command_call *call, const char *format, ...)
{
	char line[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (call->json) {
		struct json_writer json = json_writer_to(call->line);
		json_begin_object(&json, NULL);
		json_add_string(&json, "error", line);
		json_end_object(&json);
		reply_line(call);
	} else {
		reply_print(call, "cairn: %s", line);
	}
	set_error(call->reply, line);
	call->failed = true;
}

void reply_set(struct command_call *call, const char *name, uint64_t value)
{
	text_print(call->reply, "cairn-set %s %#llxUL\n", name, (unsigned long long)value);
}

void reply_capture_begin(struct command_call *call)
{
	channel_begin_output(&call->exchange->channel, call->request->number + 1);
}

void reply_capture(struct command_call *call, const char *command)
{
	channel_capture(&call->exchange->channel, call->reply, command);
}

void reply_capture_end(struct command_call *call)
{
	channel_request_again(call->reply, call->request->number + 1);
	call->exchange->waiting = true;
}

void reply_collect(struct command_call *call, const struct text *lines)
{
	reply_capture_begin(call);
	channel_collect(call->reply, lines, call->request->number + 1);
	call->exchange->waiting = true;
}
