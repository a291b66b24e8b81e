/* SPDX-License-Identifier: MIT */
/* Implements the settings auto-symbols, color and directory. */
#include "commands.h"

#include "common/base/files.h"
#include "common/session/loading.h"

#include <stdlib.h>
#include <string.h>

bool auto_symbols_read(struct command_call *call, bool *on)
{
	const char *word = command_call_expression(call);

	*on = strcmp(word, "on") == 0;
	if (!*on && strcmp(word, "off") != 0)
		reply_error(call, "auto-symbols must be on or off, not \"%s\"", word);
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
		reply_error(call, "color must be auto, on or off, not \"%s\"", word);
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
	.help = "Set which directories cairn searches for symbols.\n"
		"It looks for DIR/NAME.gsym and DIR/.build-id/ab/cdef.gsym, and for Breakpad\n"
		"files, symbfiles and SFrame tables with the same names.",
	.example = "set cairn directory /srv/symbols",
	.steps = { set_directory },
};

const struct command command_show_directory = {
	.name = "show cairn directory",
	.old_name = "show cairn gsym-directory",
	.usage = "",
	.help = "Show which directories cairn searches for symbols.",
	.steps = { show_directory },
};
