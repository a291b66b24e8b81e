/* SPDX-License-Identifier: MIT */
/*
 * The auto-symbols setting, which automatically loads symbols for modules without symbols. If the
 * user gives a file for a library that is not loaded yet, its symbols are loaded in the same way.
 *
 * LLDB does not pass events to plugins. So a stop hook checks the modules at each stop, and also
 * before LLDB commands for which symbols matter. In LLDB 17 and newer, locate.cpp also answers
 * LLDB's queries for the files of a module.
 */
#include "locate.h"
#include "session.h"

#include "common/commands/commands.h"
#include "common/session/loading.h"

#include <algorithm>

/* Add bytes to the hash (FNV-1a). */
static void add_to_hash(uint64_t *hash, const void *bytes, size_t size)
{
	const auto *p = static_cast<const unsigned char *>(bytes);

	for (size_t i = 0; i < size; i++)
		*hash = (*hash ^ p[i]) * 0x100000001b3U;
}

/* Return a hash of the list of modules, which is never 0. */
static uint64_t hash_modules(lldb_session *s)
{
	uint64_t hash = 0xcbf29ce484222325U;

	add_to_hash(&hash, &s->process, sizeof(s->process));
	for (uint32_t i = 0; i < s->target.GetNumModules(); i++) {
		lldb::SBModule module = s->target.GetModuleAtIndex(i);
		std::string path = find_module_path(module);
		uint64_t at = module.GetObjectFileHeaderAddress().GetLoadAddress(s->target);
		add_to_hash(&hash, path.c_str(), path.size() + 1);
		add_to_hash(&hash, &at, sizeof(at));
	}
	return hash | 1;
}

static void plan_given(struct command_call *call, const struct target_list *list)
{
	struct symbol_target target;

	for (size_t i = 0; i < list->count; i++)
		if (call->session->debugger->loader->read_target(call, i, &target) &&
		    (sources_given(&call->session->sources, target.module.build_id) ||
		     side_files_has_named(&call->session->side_files, target.module.build_id)))
			loading_target(call, &target);
}

/*
 * Plan new modules if the user has enabled auto-symbols, or has given a file for a module that was
 * not loaded. Does nothing unless the modules have changed.
 */
static enum answer plan_new_modules(struct command_call *call)
{
	auto *loading = static_cast<struct loading *>(call->context);
	lldb_session *s = get_lldb_session(call);

	if ((!s->sources.follow && !s->sources.waits) || s->target.GetNumModules() == 0)
		return ANSWER_DONE;
	uint64_t hash = hash_modules(s);
	if (hash == s->followed)
		return ANSWER_DONE;
	s->followed = hash;
	s->debugger->loader->list_targets(call, &loading->list, false);
	loading_begin(call, true, true);
	if (s->sources.follow)
		loading_targets(call, nullptr);
	else
		plan_given(call, &loading->list);
	loading_remove_stale(call);
	return ANSWER_READY;
}

static constexpr struct command make_follow()
{
	struct command c = {};

	c.name = "cairn symbols follow";
	c.usage = "";
	c.help = "Load the symbols of modules that have come since the last time.\n"
		 "With \"set cairn auto-symbols on\" cairn does this by itself at each stop.";
	c.steps[0] = plan_new_modules;
	c.steps[1] = loading_ask_own;
	c.steps[2] = loading_take;
	c.steps[3] = loading_report;
	c.context_size = sizeof(struct loading);
	c.finish = loading_finish;
	return c;
}

constexpr struct command command_symbols_follow = make_follow();

/*
 * Call `act` before a command of LLDB. Errors are ignored here, because "cairn symbols load"
 * reports them. Returns false, which makes LLDB continue with the command.
 */
template <class Action> static bool act_before_command(void *baton, Action act)
{
	try {
		std::shared_ptr<lldb_session> s =
			find_lldb_session((lldb::user_id_t)(uintptr_t)baton);

		if (s && (s->sources.follow || s->sources.waits) && !s->interruptible)
			act(s.get());
	} catch (...) {
	}
	return false;
}

static bool follow_before_command(void *baton, const char **)
{
	return act_before_command(baton, [](lldb_session *s) {
		const struct words none = {};
		lldb_call call;
		run_lldb_command(s, &command_symbols_follow, &none, &call);
	});
}

/* Called before "target create". */
static bool prepare_before_command(void *baton, const char **words)
{
	return act_before_command(baton, [words](lldb_session *s) {
		prepare_fixed_program(s, words, &command_symbols_follow);
	});
}

/*
 * Add a stop hook to the target. New targets inherit the hook of LLDB's dummy target, but an
 * existing target needs its own.
 */
static void hook_target(lldb_session *s)
{
	const std::string line = "target stop-hook add -o \"cairn symbols follow\"";
	lldb::user_id_t number = s->target.IsValid() ? s->lldb.GetIndexOfTarget(s->target) + 1 : 0;
	auto &known = s->hooked_targets;

	if (std::find(known.begin(), known.end(), number) == known.end() && run_in_lldb(s, line))
		known.push_back(number);
}

static void hook_commands(lldb_session *s)
{
	static const char *const names[] = { "breakpoint set", "process launch", "thread backtrace",
		                             "process attach", "image lookup" };
	void *baton = (void *)(uintptr_t)s->lldb.GetID();

	for (const char *name : names)
		s->lldb.GetCommandInterpreter().SetCommandOverrideCallback(
			name, follow_before_command, baton);
	s->lldb.GetCommandInterpreter().SetCommandOverrideCallback("target create",
	                                                           prepare_before_command, baton);
}

/*
 * Install the command hooks once for a debugger, and the stop hook once for each existing target.
 */
static void begin_following(lldb_session *s)
{
	if (!s->hooked) {
		hook_commands(s);
		locator_begin(s);
	}
	hook_target(s);
	s->hooked = true;
	s->followed = 0;
}

void follow_given(lldb_session *s)
{
	s->sources.waits = true;
	begin_following(s);
}

static enum answer set_auto_symbols(struct command_call *call)
{
	bool on;

	if (!auto_symbols_read(call, &on))
		return ANSWER_FAILED;
	call->session->sources.follow = on; /* existing hooks do nothing while the setting is off */
	if (on)
		begin_following(get_lldb_session(call));
	return on ? plan_new_modules(call) : ANSWER_DONE;
}

static constexpr struct command make_set_auto_symbols()
{
	struct command c = make_follow();

	c.name = "set cairn auto-symbols";
	c.usage = "on|off";
	c.help = "Set whether cairn loads symbols for modules that have none.\n"
		 "LLDB 17 and newer ask cairn as they open a module; else it looks at each stop,\n"
		 "and before breakpoints are set, the program is started or a stack is shown.\n"
		 "It adds a stop hook, \"cairn symbols follow\".";
	c.example = "set cairn auto-symbols on";
	c.steps[0] = set_auto_symbols;
	return c;
}

constexpr struct command command_set_lldb_auto_symbols = make_set_auto_symbols();
