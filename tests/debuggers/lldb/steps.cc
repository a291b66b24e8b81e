// SPDX-License-Identifier: MIT
//
// A plugin of LLDB for tests: "steps ADDRESS COUNT FILE" runs the target to a file address of its
// program, steps COUNT instructions, and writes LLDB's own stack at each of them to FILE: a line
// "stop PC", then one for each frame with pc, sp, rbp and the other registers that calls preserve.
// Code of other modules is stepped over.  Not linked to liblldb: any LLDB loads it.
//
#include <lldb/API/LLDB.h>

#include <cstdio>
#include <cstdlib>

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

} // namespace

namespace lldb
{
__attribute__((visibility("default"))) bool PluginInitialize(SBDebugger debugger)
{
	debugger.GetCommandInterpreter().AddCommand("steps", new Steps, "Write stacks.");
	return true;
}
} // namespace lldb
