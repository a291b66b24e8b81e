/* SPDX-License-Identifier: MIT */
/* Prints the lines and errors of an answer through the debugger. */
#include "session.h"

#include <stdarg.h>
#include <stdio.h>

void reply_line(struct command_call *call)
{
	call->session->debugger->print_line(call, call->line);
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

struct json_writer reply_begin_json(struct command_call *call)
{
	struct json_writer json = json_writer_to(call->line);

	json_begin_object(&json, NULL);
	return json;
}

void reply_end_json(struct command_call *call, struct json_writer *json)
{
	json_end_object(json);
	reply_line(call);
}

void reply_error(struct command_call *call, const char *format, ...)
{
	char line[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (call->json) {
		struct json_writer json = reply_begin_json(call);
		json_add_string(&json, "error", line);
		reply_end_json(call, &json);
	} else {
		reply_print(call, "cairn: %s", line);
	}
	reply_set_string(call, "cairn_error", line);
	call->failed = true;
}

void reply_set(struct command_call *call, const char *name, uint64_t value)
{
	call->session->debugger->set_number(call, name, value);
}

void reply_set_string(struct command_call *call, const char *name, const char *value)
{
	call->session->debugger->set_string(call, name, value);
}

const char *debugger_name(const struct command_call *call)
{
	struct debugger_status status;

	call->session->debugger->describe(call->session, &status);
	return status.name;
}
