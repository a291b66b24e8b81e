/* SPDX-License-Identifier: MIT */
/*
 * Loads the symbols of a program at a fixed address before its core is opened ("target create --core CORE PROGRAM").
 * LLDB looks at the stack as it opens the core, and keeps what it takes for functions of code that is in its place then:
 * all of it is one function where there are no symbols. So the program gets its symbols before, in a target of its own,
 * and LLDB finds the module again.
 */
#include "session.h"

#include <cstring>

/* Is its code where it was linked?  False if it cannot be read. */
static bool is_fixed_program(const std::string &path)
{
	struct module_file file;

	return read_program(path, &file) && file.program.span.low != 0;
}

/* The program that is opened with a core; empty: there is no core, or what else is wanted may make it another module. */
static std::string find_program_of_core(const char *const *words)
{
	std::string program;
	bool core = false;

	for (words += 2; *words; words++) {
		const bool named = strcmp(*words, "-c") == 0 || strcmp(*words, "--core") == 0;
		if (named && words[1]) {
			core = true;
			words++;
		} else if (strncmp(*words, "--core=", 7) == 0) {
			core = true;
		} else if (**words == '-' || !program.empty()) {
			return "";
		} else {
			program = *words;
		}
	}
	return core ? program : "";
}

/* Is it a module of a target that is there?  Then it has what symbols it is to have. */
static bool is_known(lldb_session *s, const std::string &program)
{
	for (uint32_t i = 0; i < s->lldb.GetNumTargets(); i++) {
		lldb::SBTarget target = s->lldb.GetTargetAtIndex(i);
		if (find_file_path(target.GetExecutable()) == program)
			return true;
	}
	return false;
}

void prepare_fixed_program(lldb_session *s, const char *const *words, const struct command *follow)
{
	const bool whole = words && words[0] && words[1];
	const std::string program = whole ? find_program_of_core(words) : "";
	lldb::SBTarget selected = s->lldb.GetSelectedTarget();
	const struct words none = {};
	lldb::SBError error;
	lldb_call call;

	if (program.empty() || !is_fixed_program(program) || is_known(s, program))
		return;
	lldb::SBTarget target =
		s->lldb.CreateTarget(program.c_str(), nullptr, nullptr, false, error);
	if (!target.IsValid())
		return;
	s->lldb.SetSelectedTarget(target);
	run_lldb_command(s, follow, &none, &call);
	s->lldb.DeleteTarget(target);
	if (selected.IsValid())
		s->lldb.SetSelectedTarget(selected);
}
