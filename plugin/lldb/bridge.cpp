/* SPDX-License-Identifier: MIT */
/*
 * The entry point of the LLDB plugin. Keeps one session per debugger and registers the shared
 * commands in LLDB.
 *
 * The plugin is not linked to liblldb. All LLDB functions called in this directory exist in LLDB 13
 * and later, except for weak symbols. LLDB calls PluginInitialize() for each `plugin load` and
 * never unloads a plugin.
 */
#include "session.h"

#include "common/commands/commands.h"

#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <new>

/*
 * List of sessions. A debugger that loads the plugin again keeps its session. LLDB's callbacks get
 * a debugger's ID instead of a pointer, because the plugin is not notified when a debugger is
 * destroyed.
 */
static struct session_list {
	std::mutex lock;
	std::map<lldb::user_id_t, std::weak_ptr<lldb_session>> of_debugger;

	/*
	 * Only some versions of LLDB free commands, and the sessions that the commands own, at
	 * exit. Therefore remove the captures' files here.
	 */
	~session_list()
	{
		for (auto &entry : of_debugger)
			if (std::shared_ptr<lldb_session> session = entry.second.lock())
				captures_finish(&session->captures);
	}
} sessions;

std::shared_ptr<lldb_session> find_lldb_session(lldb::user_id_t debugger)
{
	std::lock_guard<std::mutex> guard(sessions.lock);

	return sessions.of_debugger[debugger].lock();
}

void keep_lldb_session(lldb::user_id_t debugger, const std::shared_ptr<lldb_session> &session)
{
	std::lock_guard<std::mutex> guard(sessions.lock);

	sessions.of_debugger[debugger] = session;
}

/*
 * Begin a command on the selected target. If the process has changed, discard all data about the
 * previous one.
 */
static void begin_target(lldb_session *s, lldb::SBDebugger &debugger)
{
	s->target = debugger.GetSelectedTarget();
	lldb::SBProcess process = s->target.GetProcess();
	uint32_t number = process.IsValid() ? process.GetUniqueID() : 0;

	if (number != s->process) {
		cairn_space_reset(s->space);
		s->named = named_builds();
		s->local.forget();
	}
	s->process = number;
	cairn_space_begin_query(s->space);
	if (is_process_stopped(s))
		report_lldb_modules(s);
}

static void run_steps(lldb_call *call, const struct command *command)
{
	lldb_session *s = get_lldb_session(call);

	text_reset(&s->line);
	s->line.colored = s->color == COLOR_ON || (s->color == COLOR_AUTO && s->lldb.GetUseColor());
	call->line = &s->line;
	if (command_begin(call, command))
		command_continue(call);
}

static void begin_and_run(lldb_session *s, const struct command *command, lldb_call *call)
{
	begin_target(s, s->lldb);
	if (s->hooked)
		locator_adopt(s);
	run_steps(call, command);
	if (s->hooked)
		locator_update(s);
}

/* Run a command and catch all exceptions, because an exception would terminate LLDB. */
void run_lldb_command(lldb_session *s, const struct command *command, const struct words *words,
                      lldb_call *call)
{
	call->session = s;
	call->words = words;
	if (s->busy.test_and_set()) {
		call->fail("another command of cairn is running");
		return;
	}
	s->interruptible = true;
	try {
		begin_and_run(s, command, call);
	} catch (const interruption &) {
		call->fail("interrupted");
	} catch (const std::exception &e) {
		call->fail(e.what());
	} catch (...) {
		call->fail("unknown exception");
	}
	s->interruptible = false;
	s->busy.clear();
}

bool run_in_lldb(lldb_session *s, const std::string &line)
{
	lldb::SBCommandReturnObject result;

	s->lldb.GetCommandInterpreter().HandleCommand(line.c_str(), result, false);
	return result.Succeeded();
}

static const struct command *const commands[] = {
	&command_status,
	&command_modules,
	&command_where,
	&command_bt,
	&command_sframe,
	&command_demangle,
	&command_cbf,
	&command_markup,
	&command_find_cbf,
	&command_open,
	&command_close,
	&command_add_gsym,
	&command_add_symbfile,
	&command_add_breakpad,
	&command_add_sframe,
	&command_symbols_load,
	&command_symbols_unload,
	&command_symbols_follow,
	&command_set_lldb_auto_symbols,
	&command_show_auto_symbols,
	&command_set_directory,
	&command_show_directory,
	&command_set_color,
	&command_show_color,
};

static void split_words(char **typed, struct words *words)
{
	*words = {};
	for (; typed && *typed; typed++) {
		words->too_many = words->count == WORDS_MAX;
		if (words->too_many)
			return;
		words->word[words->count++] = *typed;
	}
}

/* Replace the names of settings with their LLDB forms: "set cairn X" becomes "cairn set X". */
static std::string reword_settings(std::string text)
{
	static const char *const verbs[] = { "set", "show" };

	for (const char *verb : verbs) {
		std::string there = std::string(verb) + " cairn ",
			    here = std::string("cairn ") + verb + " ";
		for (size_t at = 0; (at = text.find(there, at)) != std::string::npos;
		     at += here.size())
			text.replace(at, there.size(), here);
	}
	return text;
}

static void give_result(const lldb_call &call, lldb::SBCommandReturnObject &result)
{
	if (!call.output.empty())
		result.PutCString(call.output.c_str(), (int)call.output.size());
	if (call.failed)
		result.SetError(reword_settings(call.error).c_str());
	else
		result.SetStatus(call.output.empty() ? lldb::eReturnStatusSuccessFinishNoResult
		                                     : lldb::eReturnStatusSuccessFinishResult);
}

class Command : public lldb::SBCommandPluginInterface
{
      public:
	Command(std::shared_ptr<lldb_session> session, const struct command *command)
	    : session(std::move(session)), command(command)
	{
	}

	bool DoExecute(lldb::SBDebugger debugger, char **typed,
	               lldb::SBCommandReturnObject &result) override
	{
		struct words words;
		lldb_call call;

		(void)debugger;
		split_words(typed, &words);
		run_lldb_command(session.get(), command, &words, &call);
		give_result(call, result);
		return result.Succeeded();
	}

      private:
	std::shared_ptr<lldb_session> session;
	const struct command *command;
};

/*
 * Return the name without the word "cairn". For example, "set cairn color" becomes "set color",
 * because LLDB groups all commands under "cairn".
 */
static std::string name_after_cairn(const std::string &name)
{
	static const char prefix[] = "cairn ";
	size_t at = name.find(prefix);

	return at == std::string::npos ? name
	                               : name.substr(0, at) + name.substr(at + strlen(prefix));
}

static std::string describe_command(const struct command *command)
{
	const char *rest = strchr(command->help, '\n');
	std::string text = rest ? std::string(rest + 1) + "\n" : "";

	if (command->example)
		text += std::string("Example: ") + command->example + "\n";
	return reword_settings(text);
}

static const char *describe_group(const std::string &name)
{
	return name == "symbols" ? "Symbols that cairn loads into LLDB."
	       : name == "set"   ? "Change a setting of cairn."
	                         : "Show a setting of cairn.";
}

/*
 * Return the group that contains the command, creating it if necessary, and remove the group's name
 * from `word`: "cairn symbols load" is the command "load" in the group "symbols".
 */
static lldb::SBCommand find_group(lldb::SBCommand top,
                                  std::map<std::string, lldb::SBCommand> &groups, std::string &word)
{
	size_t blank = word.find(' ');

	if (blank == std::string::npos)
		return top;
	std::string name = word.substr(0, blank);
	word.erase(0, blank + 1);
	if (groups.count(name) == 0)
		groups[name] = top.AddMultiwordCommand(name.c_str(), describe_group(name));
	return groups[name];
}

static void add_command(lldb::SBCommand group, const std::string &word,
                        const std::shared_ptr<lldb_session> &session, const struct command *command)
{
	std::string help =
		reword_settings(std::string(command->help, strcspn(command->help, "\n")));
	std::string syntax = "cairn " + name_after_cairn(command->name) + " " + command->usage;
	auto *body = new Command(session, command); /* owned by LLDB */

	lldb::SBCommand added =
		group.AddCommand(word.c_str(), body, help.c_str(), syntax.c_str(), nullptr);
	std::string text = describe_command(command);
	if (added.IsValid() && !text.empty())
		added.SetHelpLong(text.c_str());
}

bool add_lldb_commands(const std::shared_ptr<lldb_session> &session)
{
	std::map<std::string, lldb::SBCommand> groups;
	lldb::SBCommand top = session->lldb.GetCommandInterpreter().AddMultiwordCommand(
		"cairn", "Call stacks and symbols for programs without debug information.");

	if (!top.IsValid())
		return false;
	for (const struct command *command : commands)
		for (const char *name : { command->name, command->old_name }) {
			if (!name)
				continue;
			std::string word = name_after_cairn(name);
			lldb::SBCommand group = find_group(top, groups, word);
			add_command(group, word, session, command);
		}
	return true;
}

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
 * Make LLDB read the list of JIT code that a program has registered through GDB's JIT interface. On
 * Linux LLDB does so only if this setting is on. A value set by the user is kept.
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
