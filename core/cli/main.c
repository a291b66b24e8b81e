/* SPDX-License-Identifier: MIT */
/* cairn: the command line. Its verbs are the rows of VERBS in cli/front/cli.h. */
#include "base/path.h"
#include "cli/front/cli.h"

#include <string.h>

#define VERB_ROW(name, summary) { #name, summary, verb_##name },

static const struct verb verbs[] = { VERBS(VERB_ROW) };

static const char about[] =
	"Call stacks and symbols for programs without their debug information.\n"
	"\n"
	"First steps:\n"
	"  cairn bt CORE               prints the stacks of a program that crashed\n"
	"  cairn gsym create PROGRAM   keeps its symbols, before it is stripped\n"
	"  cairn setup --write gdb     makes GDB load cairn when it starts\n"
	"  cairn doctor                checks the installation, and says what to do";

/*
 * Return true if the last component of `path` is the verb's name. perf starts a program named
 * "addr2line", so a link with this name must act like the verb.
 */
static bool is_called(const struct verb *verb, const char *path)
{
	return strcmp(base_name_text(path), verb->name) == 0;
}

int main(int argc, char **argv)
{
	if (argc > 0 && is_called(&verbs[0], argv[0]))
		return program_run_verb(&verbs[0], argc, argv);
	return program_run("cairn", about, verbs, COUNT(verbs), argc, argv);
}
