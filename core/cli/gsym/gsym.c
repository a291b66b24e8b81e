/* SPDX-License-Identifier: MIT */
/* Dispatches `cairn gsym` to its verbs. */
#include "gsym.h"

static const struct verb verbs[] = {
	{ "create", "make a file of DWARF, symbols or Breakpad", gsym_create },
	{ "dump", "print all that a file holds", gsym_dump },
	{ "find", "where functions of a name are", gsym_find_verb },
	{ "lookup", "function, file and line of addresses, inlined calls included",
	  gsym_lookup_verb },
	{ "stats", "where the bytes go", gsym_stats },
	{ "verify", "check the structure of a file", gsym_verify },
};

int verb_gsym(int argc, char **argv)
{
	return verbs_run("cairn gsym", "GSYM files: symbols, lines and inlined calls by address.",
	                 verbs, COUNT(verbs), argc, argv);
}
