/* SPDX-License-Identifier: MIT */
/* The settings of symbols: where they are looked for, and whether modules are followed. */
#include "commands.h"
#include "path.h"

#include <stdlib.h>
#include <string.h>

/*
 * GDB tells a module of no stop; only user-defined commands of certain names run then.  One that
 * the user has defined is left as it is.  Before a program is started, symbols must be there for the
 * first breakpoint, and at the latest for the run; with a process those need no more than a glance.
 */
static const struct {
	const char *name;
	bool before_start; /* it has nothing to do once there is a process */
} hooks[] = {
	{ "hook-stop", false },     { "hookpost-core-file", false }, { "hookpost-attach", false },
	{ "hookpost-file", false }, { "hook-break", true },          { "hook-tbreak", true },
	{ "hook-run", true },       { "hook-start", true },          { "hook-starti", true },
};

enum { HOOKS = sizeof(hooks) / sizeof(*hooks) };

/* `complete` names commands without failing for those that are not there. */
static void ask_hooks(struct call *call)
{
	struct text *questions = &call->session->command;

	text_reset(questions);
	for (unsigned i = 0; i < HOOKS; i++)
		text_print(questions, "complete show user %s\n", hooks[i].name);
	reply_collect(call, questions);
	call->session->asked = ASKED_HOOKS;
}

static bool is_defined(const char *said, const char *hook)
{
	char line[64] = "show user ";

	strcat(line, hook);
	size_t size = strlen(line);
	for (const char *at = said; (at = strstr(at, line)) != NULL; at += size)
		if (at[size] == '\n' && (at == said || at[-1] == '\n'))
			return true;
	return false;
}

static void define_hooks(struct call *call, const char *said)
{
	static bool ours[HOOKS]; /* as long as the module lives, and that is GDB's life */

	for (unsigned i = 0; i < HOOKS; i++) {
		if (!ours[i] && is_defined(said, hooks[i].name)) {
			reply_say(call, "cairn: %s is yours: put the line \"cairn-follow\" into it",
			          hooks[i].name);
			continue;
		}
		ours[i] = true;
		text_print(call->reply,
		           hooks[i].before_start
		                   ? "define %s\nif $_thread\nelse\ncairn-follow\nend\nend\n"
		                   : "define %s\ncairn-follow\nend\n",
		           hooks[i].name);
	}
}

void command_set_auto_symbols(struct call *call)
{
	const char *word = call_expression(call);
	bool on = strcmp(word, "on") == 0;

	if (!on && strcmp(word, "off") != 0) {
		reply_error(call, "auto-symbols is on or off, not \"%s\"", word);
		return;
	}
	if (on && call->session->asked == ASKED_NOTHING) {
		ask_hooks(call);
		return;
	}
	if (on)
		define_hooks(call, call->output ? call->output : "");
	call->session->sources.follow = on; /* a hook that is there does nothing when off */
	if (on)
		text_add(call->reply, "cairn-follow\n");
}

void command_show_auto_symbols(struct call *call)
{
	reply_say(call, "Symbols of modules that come are %s.",
	          call->session->sources.follow ? "loaded (on)" : "not loaded (off)");
}

void command_set_gsym_directory(struct call *call)
{
	char **directories = &call->session->sources.directories;
	struct text list = { .data = NULL };

	path_add_list(&list, call_path(call));
	if (list.cut) {
		reply_error(call, "out of memory");
		text_finish(&list);
		return;
	}
	free(*directories);
	*directories = list.data;
}

void command_show_gsym_directory(struct call *call)
{
	const char *directories = call->session->sources.directories;

	reply_say(call,
	          "GSYM files are looked for in \"%s\", beside the binary, in "
	          "/usr/lib/debug/.build-id and in the cache.",
	          directories ? directories : "");
}
