/* SPDX-License-Identifier: MIT */
/* The verbs of `cairn sframe`. */
#include "sframe.h"

static const struct verb verbs[] = {
	{ "convert", "write tables as one of another version", sframe_convert },
	{ "create", "make a table from .eh_frame and .debug_frame", sframe_create },
	{ "dump", "print tables, functions and rows", sframe_dump },
	{ "lookup", "print the rule for an address", sframe_lookup },
	{ "merge", "make one table of those of relocatable files", sframe_merge },
	{ "stats", "print what the bytes of a section are for", sframe_stats },
	{ "verify", "check the structure, and every rule against .eh_frame", sframe_verify },
};

int verb_sframe(int argc, char **argv)
{
	return verbs_run("cairn sframe", "SFrame unwind tables of programs, libraries and objects.",
	                 verbs, COUNT(verbs), argc, argv);
}
