// SPDX-License-Identifier: MIT
//
// For tests: the options of the program `lldb` that they use, on top of LLDB's library.  The program itself hangs when
// AddressSanitizer is loaded before it; this one is built with it, and a plugin that is so, too, loads into it.
//
//	driver [-x] [-b] [-O COMMAND]... [-o COMMAND]... [-s FILE]... [-k COMMAND]... [--version] [PROGRAM [CORE]]
//
#include <lldb/API/LLDB.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace
{

// Shows the command and what it prints, as `lldb` does; false: it failed.
bool run_line(lldb::SBDebugger &debugger, const std::string &line)
{
	lldb::SBCommandReturnObject result;

	printf("(lldb) %s\n", line.c_str());
	debugger.GetCommandInterpreter().HandleCommand(line.c_str(), result, false);
	printf("%s%s", result.GetOutput() ? result.GetOutput() : "",
	       result.GetError() ? result.GetError() : "");
	fflush(stdout);
	return result.Succeeded();
}

struct arguments {
	std::vector<std::string> before, after;
	std::string program;
};

void add_option(struct arguments &arguments, const std::string &option, const std::string &value)
{
	if (option == "-O")
		arguments.before.push_back(value);
	else if (option == "-o")
		arguments.after.push_back(value);
	else if (option == "-s")
		arguments.after.push_back("command source \"" + value + "\"");
}

struct arguments parse_words(int count, char **words)
{
	struct arguments arguments;

	for (int i = 1; i < count; i++) {
		std::string word = words[i];
		if (word == "-x" || word == "-b")
			continue;
		if (word[0] != '-')
			arguments.program = word;
		else if (i + 1 < count)
			add_option(arguments, word, words[++i]);
	}
	return arguments;
}

// As in batch mode, the first command that fails is the last.
bool run_all(lldb::SBDebugger &debugger, const struct arguments &arguments)
{
	std::vector<std::string> lines = arguments.before;

	if (!arguments.program.empty())
		lines.push_back("target create \"" + arguments.program + "\"");
	lines.insert(lines.end(), arguments.after.begin(), arguments.after.end());
	for (const std::string &line : lines)
		if (!run_line(debugger, line))
			return false;
	return true;
}

} // namespace

int main(int count, char **words)
{
	if (count > 1 && !strcmp(words[1], "--version")) {
		puts(lldb::SBDebugger::GetVersionString());
		return 0;
	}
	lldb::SBDebugger::Initialize();
	lldb::SBDebugger debugger = lldb::SBDebugger::Create(false);
	debugger.SetAsync(false);
	debugger.SetOutputFileHandle(stdout, false);
	debugger.SetErrorFileHandle(stdout, false);
	bool good = run_all(debugger, parse_words(count, words));
	debugger.GetSelectedTarget().GetProcess().Kill();
	lldb::SBDebugger::Destroy(debugger);
	lldb::SBDebugger::Terminate();
	return good ? 0 : 1;
}
