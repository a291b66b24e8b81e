/* SPDX-License-Identifier: MIT */
/* Registers the shared commands as LLDB commands. */
#include "session.h"

#include "common/commands/commands.h"

#include <cstring>
#include <map>

static const struct command *const commands[] = {
	&command_status,
	&command_modules,
	&command_where,
	&command_bt,
	&command_sframe,
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

/* Replace the names of settings in a text by their LLDB forms: "set cairn X" by "cairn set X". */
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
 * Return the words after "cairn": the shared name "set cairn color" is "cairn set color" in LLDB.
 */
static std::string name_after_cairn(const std::string &name)
{
	static const char prefix[] = "cairn ";
	size_t at = name.find(prefix);

	return at == std::string::npos ? name
	                               : name.substr(0, at) + name.substr(at + strlen(prefix));
}

/* Return the long text of `help`: the part after the first line, and an example. */
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
 * Return the group of a command, creating it if necessary, and remove its name from `word`: "cairn
 * symbols load" is the word load in the group symbols.
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
	auto *body = new Command(session, command); /* LLDB frees it */

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
