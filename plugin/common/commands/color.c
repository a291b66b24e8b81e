/* SPDX-License-Identifier: MIT */
/* The colour setting, and the commands that set and show it. */
#include "color.h"

#include "commands.h"

#include <string.h>

static const char *const names[] = { "auto", "on", "off" };

const char *color_setting_name(enum color_setting setting)
{
	return names[setting];
}

unsigned find_word_index(const char *word, const char *const *words, unsigned count)
{
	unsigned i = 0;

	while (i < count && strcmp(word, words[i]) != 0)
		i++;
	return i;
}

static enum answer set_color(struct command_call *call)
{
	const char *word = command_call_expression(call);
	unsigned chosen = find_word_index(word, names, 3);

	if (chosen == 3)
		reply_error(call, "colour is auto, on or off, not \"%s\"", word);
	else
		call->session->color = (enum color_setting)chosen;
	return call->failed ? ANSWER_FAILED : ANSWER_READY;
}

static enum answer show_color(struct command_call *call)
{
	reply_print(call, "Colour in cairn's output is \"%s\".", names[call->session->color]);
	return ANSWER_READY;
}

const struct command command_set_color = {
	.name = "set cairn color",
	.usage = "auto|on|off",
	.help = "Set whether cairn's output is coloured.\n"
		"auto: coloured if the debugger's own output is (the default).",
	.example = "set cairn color off",
	.steps = { set_color },
};

const struct command command_show_color = {
	.name = "show cairn color",
	.usage = "",
	.help = "Show whether cairn's output is coloured.",
	.steps = { show_color },
};
