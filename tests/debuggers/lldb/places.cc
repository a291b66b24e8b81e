// SPDX-License-Identifier: MIT
//
// A plugin of LLDB for tests: "places ASKED FILE" asks LLDB what each line of ASKED names, and writes the answers to
// FILE.  A line is "name NAME" or "line FILE:LINE", for a breakpoint, or "at MODULE ADDRESS", for what `image
// lookup` knows of an address of a module's file.  An answer is the line with what was found:
// "name NAME: MODULE:ADDRESS...", all places of the breakpoint by their addresses in the files; or
// "at MODULE ADDRESS: FUNCTION FILE:LINE < CALLER FILE:LINE...", the inlined calls from the inside out.
// Breakpoints are deleted at once: many would make each further one slower.
//
#include <lldb/API/LLDB.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace
{

std::string print_address(lldb::SBAddress address)
{
	const char *name = address.GetModule().GetFileSpec().GetFilename();
	char text[32];

	snprintf(text, sizeof(text), "%llx", (unsigned long long)address.GetFileAddress());
	return std::string(name ? name : "?") + ":" + text;
}

std::string print_breakpoint(lldb::SBBreakpoint breakpoint)
{
	std::vector<std::string> places;
	std::string text;

	for (size_t i = 0; i < breakpoint.GetNumLocations(); i++)
		places.push_back(
			print_address(breakpoint.GetLocationAtIndex((uint32_t)i).GetAddress()));
	std::sort(places.begin(), places.end());
	places.erase(std::unique(places.begin(), places.end()), places.end());
	for (const std::string &place : places)
		text += " " + place;
	return text;
}

std::string print_line(lldb::SBFileSpec file, uint32_t line)
{
	const char *name = file.GetFilename();

	return " " + std::string(name && line > 0 ? name : "?") + ":" + std::to_string(line);
}

// Text without what is in brackets of any kind: arguments, also those of templates.
std::string drop_brackets(const std::string &text)
{
	std::string kept;
	unsigned depth = 0;

	for (char c : text) {
		depth += c == '(' || c == '<';
		if (depth == 0)
			kept += c;
		depth -= depth > 0 && (c == ')' || c == '>');
	}
	return kept;
}

// The last part of a name.  What has no linkage name LLDB calls by that part alone, sometimes with "::" in front, and
// symbols need not have arguments and the type that is returned.
std::string print_name(const char *name)
{
	std::string text = drop_brackets(name ? name : "?");
	size_t colons = text.rfind("::");

	text = colons == std::string::npos ? text : text.substr(colons + 2);
	text = text.substr(0, text.find(" const"));
	return text.substr(text.find_last_of(' ') + 1);
}

std::string print_address_symbols(lldb::SBTarget &target, lldb::SBAddress address)
{
	lldb::SBSymbolContext context =
		target.ResolveSymbolContextForAddress(address, lldb::eSymbolContextEverything);
	lldb::SBLineEntry entry = context.GetLineEntry();
	std::string place = print_line(entry.GetFileSpec(), entry.GetLine()), text;
	lldb::SBBlock block = context.GetBlock().GetContainingInlinedBlock();

	for (; block.IsValid(); block = block.GetParent().GetContainingInlinedBlock()) {
		text += " " + print_name(block.GetInlinedName()) + place + " <";
		place = print_line(block.GetInlinedCallSiteFile(), block.GetInlinedCallSiteLine());
	}
	if (context.GetFunction().IsValid())
		return text + " " + print_name(context.GetFunction().GetName()) + place;
	return text + " symbol " + print_name(context.GetSymbol().GetName());
}

// "0x1234" or "0x1234+1"
uint64_t read_sum(const char *text)
{
	char *end;
	uint64_t sum = strtoull(text, &end, 16);

	return *end == '+' ? sum + strtoull(end, nullptr, 16) : sum;
}

class Places : public lldb::SBCommandPluginInterface
{
      public:
	bool DoExecute(lldb::SBDebugger debugger, char **words,
	               lldb::SBCommandReturnObject &result) override
	{
		if (!words || !words[0] || !words[1])
			return false;
		std::ifstream asked(words[0]);
		std::ofstream out(words[1]);
		lldb::SBTarget target = debugger.GetSelectedTarget();
		for (std::string line; std::getline(asked, line);)
			out << line << ":" << answer(target, line) << "\n";
		result.SetStatus(lldb::eReturnStatusSuccessFinishNoResult);
		return true;
	}

      private:
	static std::string answer(lldb::SBTarget &target, const std::string &line)
	{
		size_t blank = line.find(' ');
		std::string what = line.substr(0, blank), of = line.substr(blank + 1);

		return what == "at" ? ask_address(target, of)
		                    : ask_breakpoint(target, what == "name", of);
	}

	static std::string ask_breakpoint(lldb::SBTarget &target, bool by_name,
	                                  const std::string &of)
	{
		size_t colon = of.rfind(':');
		lldb::SBBreakpoint breakpoint =
			by_name ? target.BreakpointCreateByName(of.c_str())
				: target.BreakpointCreateByLocation(
					  of.substr(0, colon).c_str(),
					  (uint32_t)strtoul(of.c_str() + colon + 1, nullptr, 10));
		std::string text = print_breakpoint(breakpoint);

		target.BreakpointDelete(breakpoint.GetID());
		return text;
	}

	static std::string ask_address(lldb::SBTarget &target, const std::string &of)
	{
		size_t blank = of.find(' ');
		lldb::SBFileSpec file(of.substr(0, blank).c_str(), false);
		lldb::SBModule module = target.FindModule(file);

		return print_address_symbols(
			target, module.ResolveFileAddress(read_sum(of.c_str() + blank)));
	}
};

} // namespace

namespace lldb
{
__attribute__((visibility("default"))) bool PluginInitialize(SBDebugger debugger)
{
	debugger.GetCommandInterpreter().AddCommand("places", new Places, "Write places.");
	return true;
}
} // namespace lldb
