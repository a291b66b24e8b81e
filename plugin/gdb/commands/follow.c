/* SPDX-License-Identifier: MIT */
/* The auto-symbols setting: whether symbols of new modules are loaded automatically. */
#include "commands.h"

#include "common/commands/commands.h"

#include <stdio.h>
#include <string.h>

/*
 * GDB does not notify a JIT reader of stops; it only runs user-defined commands with certain names,
 * the hooks. A hook that the user has defined is kept, with an additional first line. Symbols must
 * be loaded before the user sets the first breakpoint, and at the latest before the program is run.
 */
static const struct {
	const char *name;
	const char *lines;
} hooks[] = {
	{ "hook-stop", "_cairn follow\n" },
	{ "hookpost-core-file", "_cairn gather\n" },
	{ "hookpost-attach", "_cairn gather\n" },
	{ "hookpost-file", "_cairn gather\n" },
	/* these hooks do nothing once there is a process */
	{ "hook-break", "if $_thread\nelse\n_cairn follow\nend\n" },
	{ "hook-tbreak", "if $_thread\nelse\n_cairn follow\nend\n" },
	{ "hook-run", "if $_thread\nelse\n_cairn follow\nend\n" },
	{ "hook-start", "if $_thread\nelse\n_cairn follow\nend\n" },
	{ "hook-starti", "if $_thread\nelse\n_cairn follow\nend\n" },
};

enum { HOOKS = sizeof(hooks) / sizeof(*hooks) };

/*
 * Query all user-defined commands. Querying a single one that is not defined would be an error, and
 * `complete` does not list hooks.
 */
static enum answer ask_hooks(struct command_call *call)
{
	text_add(gdb_begin_orders(call), "show user\n");
	return gdb_send_orders(call, PENDING_HOOKS);
}

/*
 * Find the lines of a hook's definition in GDB's output:
 *
 *	User command "hook-stop":
 *	  echo line\n
 *
 * They end at the first line that is not indented. Returns empty bytes if the hook is not defined.
 */
static struct cairn_bytes find_body(const char *said, const char *hook)
{
	char title[64];

	snprintf(title, sizeof(title), "User command \"%s\":\n", hook);
	const char *at = strstr(said, title), *end;
	while (at && at != said && at[-1] != '\n') /* within another definition */
		at = strstr(at + 1, title);
	if (!at)
		return (struct cairn_bytes){ NULL, 0 };
	at = end = at + strlen(title);
	while (end[0] == ' ' && end[1] == ' ')
		end += strcspn(end, "\n") + (end[strcspn(end, "\n")] == '\n');
	return (struct cairn_bytes){ (const uint8_t *)at, (size_t)(end - at) };
}

/* Return true if the body contains the line at any indentation. */
static bool has_line(struct cairn_bytes body, const char *line)
{
	size_t size = strlen(line);

	for (size_t at = 0; at + size <= body.size; at++)
		if (memcmp(body.data + at, line, size) == 0 &&
		    (at == 0 || body.data[at - 1] == ' '))
			return true;
	return false;
}

static void define_hook(struct text *reply, unsigned index, struct cairn_bytes body)
{
	text_print(reply, "define %s\n", hooks[index].name);
	text_add(reply, hooks[index].lines);
	if (body.size)
		text_bytes(reply, (const char *)body.data, body.size);
	text_add(reply, "end\n");
}

static void define_hooks(struct command_call *call, const char *said)
{
	for (unsigned i = 0; i < HOOKS; i++) {
		struct cairn_bytes body = find_body(said, hooks[i].name);
		if (!has_line(body, "_cairn follow\n") && !has_line(body, "_cairn gather\n"))
			define_hook(gdb_call(call)->reply, i, body);
	}
}

static enum answer set_auto_symbols(struct command_call *call)
{
	bool on;

	if (!auto_symbols_read(call, &on))
		return gdb_answer(call);
	if (on && !gdb_has_answered(call, PENDING_HOOKS))
		return ask_hooks(call);
	if (on)
		define_hooks(call, gdb_call(call)->output);
	call->session->sources.follow = on; /* existing hooks do nothing while the setting is off */
	if (on)
		text_add(gdb_call(call)->reply, "_cairn gather\n");
	return gdb_answer(call);
}

const struct command command_set_auto_symbols = {
	.name = "set cairn auto-symbols",
	.usage = "on|off",
	.help = "Set whether cairn loads symbols at each stop for modules that have none.\n"
		"For a program not yet started, it loads them before the first breakpoint or run.\n"
		"cairn adds a line to the hooks of stop, core-file, attach, file, break, tbreak, "
		"run,\n"
		"start and starti; a hook that you defined keeps its own commands after that line.",
	.example = "set cairn auto-symbols on",
	.steps = { set_auto_symbols },
};
