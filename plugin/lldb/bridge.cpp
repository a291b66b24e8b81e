/* SPDX-License-Identifier: MIT */
/*
 * cairn in LLDB: the entry point, and the commands as LLDB's.
 *
 * Not linked to liblldb: all that is called here and in this folder is in LLDB 13 and all later ones.
 * LLDB calls PluginInitialize() for each `plugin load`, and never unloads.
 */
#include "session.h"

#include "common/commands/commands.h"

#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <new>

static const struct command *const commands[] = {
	&command_status,         &command_modules,
	&command_where,          &command_bt,
	&command_sframe,         &command_cbf,
	&command_markup,         &command_find_cbf,
	&command_add_gsym,       &command_add_symbfile,
	&command_add_breakpad,   &command_symbols_load,
	&command_symbols_unload,
};

/* What cairn knows of another run is not true of this one. */
static void begin_target(lldb_session *s, lldb::SBDebugger &debugger)
{
	s->target = debugger.GetSelectedTarget();
	lldb::SBProcess process = s->target.GetProcess();
	uint32_t number = process.IsValid() ? process.GetUniqueID() : 0;

	if (number != s->process) {
		cairn_space_reset(s->space);
		s->named = named_builds();
	}
	s->process = number;
	cairn_space_begin_query(s->space);
	if (is_process_stopped(s))
		report_lldb_modules(s);
}

static bool split_words(char **typed, struct words *words)
{
	*words = {};
	for (; typed && *typed; typed++) {
		if (words->count == WORDS_MAX) {
			words->too_many = true;
			break;
		}
		words->word[words->count++] = *typed;
	}
	return !words->too_many;
}

static void run_command(lldb_session *s, const struct command *command, const struct words *words,
                        lldb::SBCommandReturnObject &result)
{
	lldb_call call = {};

	text_reset(&s->line);
	s->line.colored = s->color == COLOR_ON || (s->color == COLOR_AUTO && s->lldb.GetUseColor());
	call.session = s;
	call.words = words;
	call.line = &s->line;
	if (command_begin(&call, command))
		command_continue(&call);
	if (!call.output.empty())
		result.PutCString(call.output.c_str(), (int)call.output.size());
	if (call.failed)
		result.SetError(call.error.c_str());
	else
		result.SetStatus(call.output.empty() ? lldb::eReturnStatusSuccessFinishNoResult
		                                     : lldb::eReturnStatusSuccessFinishResult);
}

/* An exception that leaves a command would end LLDB. */
static void execute_command(lldb_session *s, const struct command *command,
                            lldb::SBDebugger &debugger, char **typed,
                            lldb::SBCommandReturnObject &result)
{
	struct words words;

	try {
		split_words(typed, &words);
		begin_target(s, debugger);
		run_command(s, command, &words, result);
	} catch (const std::exception &e) {
		result.SetError(e.what());
	} catch (...) {
		result.SetError("cairn: unknown exception");
	}
}

class Command : public lldb::SBCommandPluginInterface
{
      public:
	Command(std::shared_ptr<lldb_session> session, const struct command *command)
	    : session(std::move(session)), command(command)
	{
	}

	bool DoExecute(lldb::SBDebugger debugger, char **words,
	               lldb::SBCommandReturnObject &result) override
	{
		execute_command(session.get(), command, debugger, words, result);
		return result.Succeeded();
	}

      private:
	std::shared_ptr<lldb_session> session;
	const struct command *command;
};

/* The long text of `help`: what comes after the first line, and an example. */
static std::string describe_command(const struct command *command)
{
	const char *rest = strchr(command->help, '\n');
	std::string text = rest ? std::string(rest + 1) + "\n" : "";

	if (command->example)
		text += std::string("Example: ") + command->example + "\n";
	return text;
}

/* "cairn symbols load" is the word load of the group symbols. */
static lldb::SBCommand find_group(lldb::SBCommand top,
                                  std::map<std::string, lldb::SBCommand> &groups, std::string &word)
{
	size_t blank = word.find(' ');

	if (blank == std::string::npos)
		return top;
	std::string name = word.substr(0, blank);
	word.erase(0, blank + 1);
	if (groups.count(name) == 0)
		groups[name] = top.AddMultiwordCommand(name.c_str(), "Load and unload symbols.");
	return groups[name];
}

static void add_command(lldb::SBCommand group, const std::string &word,
                        const std::shared_ptr<lldb_session> &session, const struct command *command)
{
	std::string help(command->help, strcspn(command->help, "\n"));
	std::string syntax = std::string(command->name) + " " + command->usage;
	auto *body = new Command(session, command); /* LLDB frees it */

	lldb::SBCommand added =
		group.AddCommand(word.c_str(), body, help.c_str(), syntax.c_str(), nullptr);
	std::string text = describe_command(command);
	if (added.IsValid() && !text.empty())
		added.SetHelpLong(text.c_str());
}

static void free_session(lldb_session *s)
{
	cairn_space_free(s->space);
	delete s;
}

static std::shared_ptr<lldb_session> make_session(lldb::SBDebugger &debugger)
{
	std::shared_ptr<lldb_session> s(new lldb_session(), free_session);
	const struct cairn_target target = { read_lldb_memory, s.get() };

	s->lldb = debugger;
	s->debugger = &lldb_debugger;
	s->space = cairn_space_new(&target);
	if (!s->space)
		throw std::bad_alloc();
	return s;
}

static bool add_commands(lldb::SBDebugger &debugger)
{
	const size_t prefix = strlen("cairn ");
	std::shared_ptr<lldb_session> session = make_session(debugger);
	std::map<std::string, lldb::SBCommand> groups;
	lldb::SBCommand top = debugger.GetCommandInterpreter().AddMultiwordCommand(
		"cairn", "Unwind by SFrame, decode CBF and markup, use GSYM and symbfile.");

	if (!top.IsValid())
		return false;
	for (const struct command *command : commands) {
		std::string word = command->name + prefix;
		lldb::SBCommand group = find_group(top, groups, word);
		add_command(group, word, session, command);
	}
	return true;
}

namespace lldb
{
__attribute__((visibility("default"))) bool PluginInitialize(SBDebugger debugger)
{
	try {
		return add_commands(debugger);
	} catch (...) {
		return false;
	}
}
} // namespace lldb
