/* SPDX-License-Identifier: MIT */
/*
 * Loads symbols automatically: detects at each stop whether modules have been loaded or unloaded,
 * and loads symbols for new modules.
 */
#include "follow.h"

#include "commands.h"
#include "gdb_loader.h"
#include "jit_code.h"
#include "link_map.h"

#include "common/commands/commands.h"
#include "common/session/loading.h"

#include <stdio.h>
#include <string.h>

static bool read_gdb_memory(void *context, uint64_t address, uint8_t *bytes, int size)
{
	const struct gdb_session *s = context;

	return s->unwinder.target_read &&
	       s->unwinder.target_read(address, bytes, size) == GDB_SUCCESS;
}

static bool has_symbols(void *context, uint64_t bias)
{
	const struct gdb_session *s = context;
	const struct sources *sources = &s->shared.sources;
	bool served = false;

	for (size_t i = 0; i < sources->objects; i++)
		served = served || (sources->object[i].inferior == s->linker_list.inferior &&
		                    sources->object[i].bias == bias);
	return served;
}

static struct link_map_memory lend_memory(struct gdb_session *s)
{
	return (struct link_map_memory){ read_gdb_memory, has_symbols, s,
		                         s->linker_list.big_endian };
}

static bool hash_list(struct gdb_session *s, uint64_t *hash)
{
	const struct link_map_memory memory = lend_memory(s);
	const struct linker_list *g = &s->linker_list;

	return g->alone ? link_map_hash_alone(&memory, g->program, hash)
	                : link_map_hash(&memory, g->program, g->slot, hash);
}

static bool find_slot(struct gdb_session *s, uint64_t bias)
{
	const struct link_map_memory memory = lend_memory(s);
	struct linker_list *g = &s->linker_list;

	g->alone = link_map_is_alone(&memory, g->program);
	return g->alone || link_map_find_slot(&memory, g->program, bias, &g->slot);
}

/* Find the dynamic linker's list of modules. Called when GDB is queried for all modules. */
static void linker_list_begin(struct gdb_session *s, const struct gdb_state *state)
{
	struct linker_list *g = &s->linker_list;
	struct cairn_module module;

	g->known = g->found = false;
	g->inferior = state->inferior;
	for (size_t i = 0; state->alive && !g->found && i < state->files.count; i++) {
		const struct info_files_module *m = &state->files.modules[i];
		if (!m->program ||
		    cairn_space_module(s->unwinder.space, m->host.low, &module) != CAIRN_OK ||
		    !module.has_headers)
			continue;
		g->program = module.low;
		g->big_endian = module.big_endian;
		g->found = find_slot(s, module.bias);
	}
}

/*
 * Record the state of the dynamic linker's list. Called after all symbols have been handed to GDB.
 */
static void linker_list_end(struct gdb_session *s)
{
	struct linker_list *g = &s->linker_list;

	g->known = g->found && hash_list(s, &g->hash);
}

static bool is_same(struct gdb_session *s, int inferior)
{
	uint64_t hash;

	return s->linker_list.known && s->linker_list.inferior == inferior && hash_list(s, &hash) &&
	       hash == s->linker_list.hash;
}

bool linker_list_answer(struct gdb_session *s)
{
	static const char nothing[] = "\n";
	unsigned long number;
	int inferior;

	if (!channel_take_glance(&s->exchange.channel, &number, &inferior))
		return false;
	text_reset(&s->exchange.reply);
	text_add(&s->exchange.reply, "_cairn gather\n");
	if (s->shared.sources.follow && (!is_same(s, inferior) || jit_code_changed(s, inferior)))
		channel_reply(&s->exchange.channel, number, &s->exchange.reply);
	else
		channel_publish(&s->exchange.channel, nothing, sizeof(nothing) - 1);
	return true;
}

/*
 * Plan to load symbols for all modules if auto-symbols is on. Prints nothing if no symbols are
 * found.
 */
static enum answer plan_all(struct command_call *call)
{
	struct loading *loading = call->context;

	if (!call->session->sources.follow)
		return ANSWER_DONE;
	enum answer answer =
		call->session->debugger->loader->list_targets(call, &loading->list, false);
	if (answer != ANSWER_READY)
		return answer;
	prepared_libraries_search(call);
	loading_begin(call, true, true);
	loading_targets(call, NULL);
	loading_remove_stale(call);
	jit_code_plan(call, &loading->plan);
	linker_list_begin(gdb_session(call), gdb_session(call)->state);
	return ANSWER_READY;
}

/*
 * Load the planned symbols. Records the state of the dynamic linker's list even if some symbols
 * cannot be loaded.
 */
static enum answer take_all(struct command_call *call)
{
	enum answer answer = loading_take(call);

	if (answer == ANSWER_PENDING)
		return answer;
	if (answer == ANSWER_READY)
		loading_report(call);
	linker_list_end(gdb_session(call));
	return answer;
}

const struct command command_gather = {
	.name = "_cairn gather",
	.usage = "",
	.steps = { plan_all, loading_ask_own, take_all },
	.context_size = sizeof(struct loading),
	.finish = loading_finish,
};

/*
 * GDB does not notify JIT readers when the program stops. It only runs user-defined commands with
 * certain names (hooks), so cairn defines hooks. If the user has already defined a hook, cairn adds
 * one line before its body. Without a process, symbols must be loaded before the user sets the
 * first breakpoint, or at the latest before the program runs.
 */
static const struct {
	const char *name;
	const char *lines;
} hooks[] = {
	{ "hook-stop", "_cairn follow\n" },
	{ "hookpost-core-file", "_cairn gather\n" },
	{ "hookpost-attach", "_cairn gather\n" },
	{ "hookpost-file", "_cairn gather\n" },
	/* these hooks do nothing once a process exists */
	{ "hook-break", "if $_thread\nelse\n_cairn follow\nend\n" },
	{ "hook-tbreak", "if $_thread\nelse\n_cairn follow\nend\n" },
	{ "hook-run", "if $_thread\nelse\n_cairn follow\nend\n" },
	{ "hook-start", "if $_thread\nelse\n_cairn follow\nend\n" },
	{ "hook-starti", "if $_thread\nelse\n_cairn follow\nend\n" },
};

enum { HOOKS = sizeof(hooks) / sizeof(*hooks) };

/*
 * Query all user-defined commands together, because GDB reports an error for a single command that
 * is not defined, and `complete` does not list hooks.
 */
static enum answer ask_hooks(struct command_call *call)
{
	text_add(gdb_begin_orders(call), "show user\n");
	return gdb_send_orders(call, PENDING_HOOKS);
}

/*
 * Find the body of a hook's definition in GDB's output:
 *
 *	User command "hook-stop":
 *	  echo line\n
 *
 * The body ends at the first line that is not indented. Returns empty bytes if the hook is not
 * defined.
 */
static struct cairn_bytes find_body(const char *said, const char *hook)
{
	char title[64];

	snprintf(title, sizeof(title), "User command \"%s\":\n", hook);
	const char *at = strstr(said, title), *end;
	while (at && at != said && at[-1] != '\n') /* skip a match inside another definition */
		at = strstr(at + 1, title);
	if (!at)
		return (struct cairn_bytes){ NULL, 0 };
	at = end = at + strlen(title);
	while (end[0] == ' ' && end[1] == ' ')
		end += strcspn(end, "\n") + (end[strcspn(end, "\n")] == '\n');
	return (struct cairn_bytes){ (const uint8_t *)at, (size_t)(end - at) };
}

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
	/* hooks stay installed but do nothing while the setting is off */
	call->session->sources.follow = on;
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
