/* SPDX-License-Identifier: MIT */
/* cairn: the command line. docs/architecture.md says what a new verb needs besides its row here. */
#include "base/path.h"
#include "cli/front/cli.h"

#include <string.h>

static const struct verb verbs[] = {
	{ "addr2line", "answer as addr2line of binutils does, for perf", verb_addr2line },
	{ "bt", "print stacks (backtraces) of a program from its core file", verb_bt },
	{ "cache", "list or clear the cache of converted files", verb_cache },
	{ "cbf", "decode, encode and find Swift's backtraces", verb_cbf },
	{ "crash", "report a crash: the handler that the kernel starts", verb_crash },
	{ "demangle", "print the demangled form of names of C++, Rust and Swift", verb_demangle },
	{ "doctor", "check the installation, and what the machine allows", verb_doctor },
	{ "dwarf", "print functions, lines and inlined calls from DWARF", verb_dwarf },
	{ "group", "count equal crashes by the names of their stacks", verb_group },
	{ "gsym", "create, show, search and check GSYM files", verb_gsym },
	{ "markup", "add names, files and lines to logs with symbolizer markup", verb_markup },
	{ "minidump", "make a small file of a core or process that shows its stacks",
	  verb_minidump },
	{ "open", "open a minidump or backtraces of a log in GDB or LLDB", verb_open },
	{ "profile", "name what a profiler recorded, and convert it", verb_profile },
	{ "serve", "name addresses over HTTP, beside a collector or a profiler", verb_serve },
	{ "setup", "make a debugger load cairn when it starts", verb_setup },
	{ "sframe", "show, look up and check SFrame unwind tables", verb_sframe },
	{ "store", "keep symbols in a folder that any web server serves", verb_store },
	{ "symbfile", "create, show, check, send and fetch Elastic symbfiles", verb_symbfile },
	{ "symbolize", "answer requests for the names of stacks and addresses", verb_symbolize },
	{ "symbols", "write symbols as ELF files with DWARF, for debuggers", verb_symbols },
	{ "where", "print function, file and line of addresses in a program", verb_where },
	{ "work", "answer requests for names that come from a queue", verb_work },
};

static const char about[] =
	"Call stacks and symbols for programs without their debug information.\n"
	"\n"
	"First steps:\n"
	"  cairn bt CORE               prints the stacks of a program that crashed\n"
	"  cairn gsym create PROGRAM   keeps its symbols, before it is stripped\n"
	"  cairn setup --write gdb     makes GDB load cairn when it starts\n"
	"  cairn doctor                checks the installation, and says what to do";

/*
 * Return true if the last component of `path` is the name of the verb. perf starts a program named
 * "addr2line", so a link of that name to cairn must act as the verb.
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
