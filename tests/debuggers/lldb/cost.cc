// SPDX-License-Identifier: MIT
//
// A plugin of LLDB for tests: "cost COMMAND..." runs a command of LLDB and prints what that cost the thread that
// runs it: how often it read from files, how many bytes, how many pages it touched that were not there, and
// microseconds of processor time.
//
#include <lldb/API/LLDB.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <sys/resource.h>

namespace
{

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
__attribute__((visibility("default"))) bool PluginInitialize(SBDebugger debugger)
{
	debugger.GetCommandInterpreter().AddCommand("cost", new Cost,
	                                            "Print what a command costs.");
	return true;
}
} // namespace lldb
