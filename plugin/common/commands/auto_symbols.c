/* SPDX-License-Identifier: MIT */
/* The parts of the auto-symbols setting that are common to all debuggers. */
#include "commands.h"

#include <string.h>

bool auto_symbols_read(struct command_call *call, bool *on)
{
	const char *word = command_call_expression(call);

	*on = strcmp(word, "on") == 0;
	if (!*on && strcmp(word, "off") != 0)
		reply_error(call, "auto-symbols is on or off, not \"%s\"", word);
	return !call->failed;
}

static enum answer show_auto_symbols(struct command_call *call)
{
	reply_print(call, "Symbols of new modules are %s.",
	            call->session->sources.follow ? "loaded (on)" : "not loaded (off)");
	return ANSWER_READY;
}

const struct command command_show_auto_symbols = {
	.name = "show cairn auto-symbols",
	.usage = "",
	.help = "Show whether cairn loads symbols for modules that have none.",
	.steps = { show_auto_symbols },
};
