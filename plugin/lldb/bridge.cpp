/* SPDX-License-Identifier: MIT */
/*
 * cairn in LLDB: the entry point.
 *
 * The plugin is not linked to liblldb. All functions called in this directory exist in LLDB 13 and
 * later, except for weak symbols. LLDB calls PluginInitialize() for each `plugin load` and never
 * unloads a plugin.
 */
#include "session.h"

#include <new>

static void free_session(lldb_session *s)
{
	while (s->sources.objects > 0)
		sources_drop(&s->sources, s->sources.objects - 1);
	captures_finish(&s->captures);
	side_files_finish(&s->side_files);
	cairn_space_free(s->space);
	delete s;
}

/*
 * Make LLDB read the list of code that a program has registered, which it does on Linux only if
 * this setting is on. A value set by the user is kept.
 */
static void enable_jit_loader(lldb_session *s)
{
	static const char setting[] = "plugin.jit-loader.gdb.enable";
	lldb::SBStringList value =
		lldb::SBDebugger::GetInternalVariableValue(setting, s->lldb.GetInstanceName());

	if (value.GetSize() > 0 && std::string(value.GetStringAtIndex(0)) == "default")
		run_in_lldb(s, std::string("settings set ") + setting + " on");
}

static std::shared_ptr<lldb_session> make_session(lldb::SBDebugger &debugger)
{
	std::shared_ptr<lldb_session> s(new lldb_session(), free_session);
	const struct cairn_target target = { read_lldb_memory, s.get() };

	s->lldb = debugger;
	s->debugger = &lldb_debugger;
	s->locator = make_locator();
	s->sources.poll = { poll_interrupt, s.get() };
	s->space = cairn_space_new(&target);
	if (!s->space)
		throw std::bad_alloc();
	enable_jit_loader(s.get());
	return s;
}

static std::shared_ptr<lldb_session> open_session(lldb::SBDebugger &debugger)
{
	std::shared_ptr<lldb_session> session = find_lldb_session(debugger.GetID());

	if (session)
		return session;
	session = make_session(debugger);
	keep_lldb_session(debugger.GetID(), session);
	return session;
}

namespace lldb
{
__attribute__((visibility("default"))) bool PluginInitialize(SBDebugger debugger)
{
	try {
		return add_lldb_commands(open_session(debugger));
	} catch (...) {
		return false;
	}
}
} // namespace lldb
