// SPDX-License-Identifier: MIT
//
// A plugin of LLDB for tests, with three commands. Not linked to liblldb: any LLDB loads it.
//
// "steps ADDRESS COUNT FILE" runs the target to a file address of its program, steps COUNT instructions, and writes
// LLDB's own stack at each of them to FILE: a line "stop PC", then one for each frame with pc, sp, rbp and the other
// registers that calls preserve. Code of other modules is stepped over.
//
// "places ASKED FILE" asks LLDB what each line of ASKED names, and writes the answers to FILE. A line is "name NAME" or
// "line FILE:LINE", for a breakpoint, or "at MODULE ADDRESS", for what `image lookup` knows of an address of a module's
// file. An answer is the line with what was found: "name NAME: MODULE:ADDRESS...", all places of the breakpoint by
// their addresses in the files; or "at MODULE ADDRESS: FUNCTION FILE:LINE < CALLER FILE:LINE...", the inlined calls from
// the inside out. Breakpoints are deleted at once: many would make each further one slower.
//
// "cost COMMAND..." runs a command of LLDB and prints what that cost the thread that runs it: how often it read from
// files, how many bytes, how many pages it touched that were not there, and microseconds of processor time.
//
#include <lldb/API/LLDB.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace
{

const char *const registers[] = { "sp", "rbp", "rbx", "r12", "r13", "r14", "r15" };

enum { FRAMES_MAX = 64 };

void write_register(FILE *out, lldb::SBFrame &frame, const char *name)
{
	lldb::SBError error;
	lldb::SBValue value = frame.FindRegister(name);
	uint64_t number = value.IsValid() ? value.GetValueAsUnsigned(error, 0) : 0;

	if (value.IsValid() && error.Success())
		fprintf(out, " %llx", (unsigned long long)number);
	else
		fprintf(out, " -");
}

// Inlined frames share the registers of the one around them, so that only that one counts.
void write_stack(FILE *out, lldb::SBThread &thread)
{
	fprintf(out, "stop %llx\n", (unsigned long long)thread.GetFrameAtIndex(0).GetPC());
	for (uint32_t i = 0; i < FRAMES_MAX; i++) {
		lldb::SBFrame frame = thread.GetFrameAtIndex(i);
		if (!frame.IsValid())
			break;
		if (frame.IsInlined())
			continue;
		fprintf(out, "%llx", (unsigned long long)frame.GetPC());
		for (const char *name : registers)
			write_register(out, frame, name);
		fprintf(out, "\n");
	}
}

bool is_own_code(lldb::SBTarget &target, uint64_t pc)
{
	lldb::SBAddress address = target.ResolveLoadAddress(pc);

	return address.GetModule() == target.GetModuleAtIndex(0);
}

// A call has just led out of the program: run to where it returns.
bool run_back(lldb::SBProcess &process, lldb::SBThread &thread)
{
	lldb::SBError error;
	uint64_t sp = thread.GetFrameAtIndex(0).GetSP();
	uint64_t back = process.ReadPointerFromMemory(sp, error);

	if (error.Fail())
		return false;
	thread.RunToAddress(back);
	return process.GetState() == lldb::eStateStopped;
}

class Steps : public lldb::SBCommandPluginInterface
{
      public:
	bool DoExecute(lldb::SBDebugger debugger, char **words,
	               lldb::SBCommandReturnObject &result) override
	{
		if (!words || !words[0] || !words[1] || !words[2])
			return false;
		FILE *out = fopen(words[2], "w");
		lldb::SBTarget target = debugger.GetSelectedTarget();
		debugger.SetAsync(false);
		lldb::SBAddress begin = target.ResolveFileAddress(strtoull(words[0], nullptr, 16));
		target.BreakpointCreateBySBAddress(begin);
		lldb::SBProcess process = target.LaunchSimple(
			nullptr, nullptr, target.GetLaunchInfo().GetWorkingDirectory());
		target.DisableAllBreakpoints();
		run(out, target, process, strtoul(words[1], nullptr, 10));
		process.Kill();
		fclose(out);
		result.SetStatus(lldb::eReturnStatusSuccessFinishNoResult);
		return true;
	}

      private:
	static void run(FILE *out, lldb::SBTarget &target, lldb::SBProcess &process,
	                unsigned long count)
	{
		while (count > 0 && process.GetState() == lldb::eStateStopped) {
			lldb::SBThread thread = process.GetSelectedThread();
			if (!is_own_code(target, thread.GetFrameAtIndex(0).GetPC())) {
				if (!run_back(process, thread))
					return;
				continue;
			}
			write_stack(out, thread);
			count--;
			thread.StepInstruction(false);
		}
	}
};

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

struct usage {
	unsigned long long bytes, reads; // by read() and its kin, if the kernel counts them
	long faults;
	long long microseconds;
};

unsigned long long find_count(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	unsigned long long count = 0;

	return at && sscanf(at + strlen(name), ": %llu", &count) == 1 ? count : 0;
}

// What reading these counts costs is in each of them, and as much each time.
struct usage read_usage()
{
	struct usage now = {};
	struct rusage used;
	struct timespec time;
	char text[512];
	FILE *io = fopen("/proc/thread-self/io", "r");
	size_t size = io ? fread(text, 1, sizeof(text) - 1, io) : 0;

	if (io)
		fclose(io);
	text[size] = '\0';
	now.bytes = find_count(text, "rchar");
	now.reads = find_count(text, "syscr");
	getrusage(RUSAGE_THREAD, &used);
	now.faults = used.ru_minflt + used.ru_majflt;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	now.microseconds = time.tv_sec * 1000000LL + time.tv_nsec / 1000;
	return now;
}

class Cost : public lldb::SBCommandPluginInterface
{
      public:
	bool DoExecute(lldb::SBDebugger debugger, char **words,
	               lldb::SBCommandReturnObject &result) override
	{
		lldb::SBCommandReturnObject answer;
		std::string line;

		for (; words && *words; words++)
			line += std::string(line.empty() ? "" : " ") + *words;
		struct usage before = read_usage();
		debugger.GetCommandInterpreter().HandleCommand(line.c_str(), answer);
		struct usage after = read_usage();
		result.Printf("cost: %llu reads %llu bytes %ld faults %lld us %s\n",
		              after.reads - before.reads, after.bytes - before.bytes,
		              after.faults - before.faults,
		              after.microseconds - before.microseconds,
		              answer.Succeeded() ? "ok" : "failed");
		result.SetStatus(lldb::eReturnStatusSuccessFinishResult);
		return true;
	}
};

} // namespace

namespace lldb
{
__attribute__((visibility("default"))) bool PluginInitialize(SBDebugger debugger);

__attribute__((visibility("default"))) bool PluginInitialize(SBDebugger debugger)
{
	SBCommandInterpreter in = debugger.GetCommandInterpreter();

	in.AddCommand("steps", new Steps, "Write stacks.");
	in.AddCommand("places", new Places, "Write places.");
	in.AddCommand("cost", new Cost, "Print what a command costs.");
	return true;
}
} // namespace lldb
