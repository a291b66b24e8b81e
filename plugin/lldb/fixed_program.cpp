/* SPDX-License-Identifier: MIT */
/*
 * Loads the symbols of a program at a fixed address before its core is opened ("target create
 * --core CORE PROGRAM"). While LLDB opens the core, it looks at the stack and keeps the functions
 * that it assumes for the code; without symbols, all code is one function. Therefore the program
 * gets its symbols first, in a temporary target, and LLDB then reuses the module.
 */
#include "session.h"

#include <cstring>

/* Return true if the program is linked at a fixed address. Returns false if it cannot be read. */
static bool is_fixed_program(const std::string &path)
{
	struct module_file file;

	return read_program(path, &file) && file.program.span.low != 0;
}

/*
 * Return the program that is opened with a core. Returns an empty string if there is no core, or if
 * other options may change which module is opened.
 */
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

/* Return true if the program belongs to an existing target, and so already has its symbols. */
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
