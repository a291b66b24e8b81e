// SPDX-License-Identifier: MIT
//
// For tests, loaded before LLDB (LD_PRELOAD) and as its plugin: reads of memory that fail.  The plugin under test is not
// linked to liblldb, so that what it calls is what is here.
//
//	refuse FIRST COUNT	of the reads from now on so many fail, from that one on; 0: none
//	vanish NUMBER		before that read the process is killed
//	pretend PID		the process has this number, as far as the plugin under test knows; 0: its own
//	reads			prints how many there were since
//
#include <lldb/API/LLDB.h>

#include <csignal>
#include <cstdlib>
#include <dlfcn.h>

namespace
{

unsigned long reads, first, count, vanish;
lldb::pid_t victim, pretended;

// One more read of the plugin; true: it is to fail.
bool is_refused()
{
	reads++;
	if (reads == vanish && victim != 0)
		kill((pid_t)victim, SIGKILL);
	return reads >= first && reads - first < count;
}

void *find_next(const char *name)
{
	void *next = dlsym(RTLD_NEXT, name);

	return next ? next : dlsym(RTLD_DEFAULT, name);
}

} // namespace

namespace lldb
{
__attribute__((visibility("default"))) size_t SBProcess::ReadMemory(addr_t address, void *buffer,
                                                                    size_t size, SBError &error)
{
	static auto *next = (size_t(*)(SBProcess *, addr_t, void *, size_t, SBError &))find_next(
		"_ZN4lldb9SBProcess10ReadMemoryEmPvmRNS_7SBErrorE");

	return is_refused() ? 0 : next(this, address, buffer, size, error);
}

__attribute__((visibility("default"))) size_t SBTarget::ReadMemory(const SBAddress address,
                                                                   void *buffer, size_t size,
                                                                   SBError &error)
{
	static auto *next =
		(size_t(*)(SBTarget *, const SBAddress, void *, size_t, SBError &))find_next(
			"_ZN4lldb8SBTarget10ReadMemoryENS_9SBAddressEPvmRNS_7SBErrorE");

	if (!is_refused())
		return next(this, address, buffer, size, error);
	error.SetErrorString("refused");
	return 0;
}

__attribute__((visibility("default"))) lldb::pid_t SBProcess::GetProcessID()
{
	static auto *next =
		(lldb::pid_t(*)(SBProcess *))find_next("_ZN4lldb9SBProcess12GetProcessIDEv");

	return pretended ? pretended : next(this);
}
} // namespace lldb

namespace
{

unsigned long read_word(char **words, unsigned index)
{
	for (unsigned i = 0; i < index; i++)
		if (!words || !words[i])
			return 0;
	return words && words[index] ? strtoul(words[index], nullptr, 10) : 0;
}

class Order : public lldb::SBCommandPluginInterface
{
      public:
	explicit Order(char what) : what(what)
	{
	}

	bool DoExecute(lldb::SBDebugger debugger, char **words,
	               lldb::SBCommandReturnObject &result) override
	{
		if (what == '#') {
			result.Printf("reads: %lu\n", reads);
		} else if (what == 'p') {
			pretended = read_word(words, 0);
		} else {
			first = what == 'r' ? read_word(words, 0) : 0;
			count = what == 'r' ? read_word(words, 1) : 0;
			vanish = what == 'v' ? read_word(words, 0) : 0;
			victim = debugger.GetSelectedTarget().GetProcess().GetProcessID();
			reads = 0;
		}
		result.SetStatus(lldb::eReturnStatusSuccessFinishResult);
		return true;
	}

      private:
	char what;
};

} // namespace

namespace lldb
{
__attribute__((visibility("default"))) bool PluginInitialize(SBDebugger debugger)
{
	SBCommandInterpreter in = debugger.GetCommandInterpreter();

	in.AddCommand("refuse", new Order('r'), "Let reads fail.");
	in.AddCommand("vanish", new Order('v'), "Kill the process at a read.");
	in.AddCommand("pretend", new Order('p'), "Give the process another number.");
	in.AddCommand("reads", new Order('#'), "Count reads.");
	return true;
}
} // namespace lldb
