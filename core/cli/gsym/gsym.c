/* SPDX-License-Identifier: MIT */
/* Dispatches `cairn gsym` to its verbs. */
#include "gsym.h"

static const struct verb verbs[] = {
	{ "create", "create a file from DWARF, symbols or Breakpad", gsym_create },
	{ "diff", "compare two files, or a file and a program", gsym_diff_verb },
	{ "dump", "print everything in a file", gsym_dump },
	{ "fetch", "make files of builds that debuginfod has", gsym_fetch },
	{ "find", "find functions by name", gsym_find_verb },
	{ "lookup", "print function, file and line of addresses, with inlined calls",
	  gsym_lookup_verb },
	{ "stats", "print how many bytes each part takes", gsym_stats },
	{ "verify", "check the structure of a file", gsym_verify },
};

int verb_gsym(int argc, char **argv)
{
	return verbs_run("cairn gsym", "GSYM files: symbols, lines and inlined calls by address.",
	                 verbs, COUNT(verbs), argc, argv);
}
