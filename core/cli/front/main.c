/* SPDX-License-Identifier: MIT */
/*
 * cairn: the command line.  To add a verb: write core/cli/VERB.c with its function (cli.h shows
 * one), declare it at the end of cli.h, add a row here and the file to core/cli/meson.build, and
 * describe it in docs/cli.md with a golden test for each form that it prints.
 */
#include "cli.h"

#include "os/guard.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct verb verbs[] = {
	{ "bt", "print the stacks of a program from its core file", verb_bt },
	{ "cache", "list or clear the cache of converted files", verb_cache },
	{ "cbf", "decode, encode and find Swift's backtraces", verb_cbf },
	{ "crash", "report a crash: the handler that the kernel starts", verb_crash },
	{ "doctor", "check the installation, and what the machine allows", verb_doctor },
	{ "dwarf", "print functions, lines and inlined calls from DWARF", verb_dwarf },
	{ "gsym", "create, show, search and check GSYM files", verb_gsym },
	{ "markup", "add names, files and lines to logs with symbolizer markup", verb_markup },
	{ "setup", "make a debugger load cairn when it starts", verb_setup },
	{ "sframe", "show, look up and check SFrame unwind tables", verb_sframe },
	{ "symbfile", "create, show, check, send and fetch Elastic symbfiles", verb_symbfile },
	{ "symbols", "write symbols as ELF files with DWARF, for debuggers", verb_symbols },
	{ "where", "print function, file and line of addresses in a program", verb_where },
};

static const char about[] = "Call stacks and symbols for programs without their debug information.";

/* Output that could not be written must not look like success. */
static int flush_output(int status)
{
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "cairn: standard output: cannot write: %s\n",
		        errno ? strerror(errno) : "write error");
		return EXIT_BROKEN;
	}
	return status;
}

/* What was read of a file that somebody cut short in the meantime is not what it claims. */
static int check_files(int status)
{
	const char *path = os_guard_truncated_path();

	if (!path)
		return status;
	print_diagnostic(path,
	                 "cut short by another program while it was read; run the command again "
	                 "when the file is whole");
	return EXIT_BROKEN;
}

int main(int argc, char **argv)
{
	int status;

	os_guard_start(); /* without it files are copied */
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		printf("cairn %s\n", cairn_version());
		status = EXIT_CLEAN;
	} else {
		status = verbs_run("cairn", about, verbs, COUNT(verbs), argc, argv);
	}
	return flush_output(check_files(status));
}
