/* SPDX-License-Identifier: MIT */
/* The verbs of `cairn symbfile`. */
#include "symbfile.h"

static const struct verb verbs[] = {
	{ "create", "create the symbfiles of an executable", symbfile_create_verb },
	{ "dump", "print everything in a file", symbfile_dump_verb },
	{ "fetch", "fetch symbols from a symbol server", symbfile_fetch_verb },
	{ "id", "print the FileID of an executable", symbfile_id_verb },
	{ "lookup", "print function, file and line of addresses, with inlined calls",
	  symbfile_lookup_verb },
	{ "name", "print the name that a symbol gets", symbfile_name_verb },
	{ "push", "send symbfiles to a symbol server", symbfile_push_verb },
	{ "serve", "run a symbol server", symbfile_serve_verb },
	{ "stats", "print how many bytes each part takes", symbfile_stats_verb },
	{ "verify", "check a file from end to end", symbfile_verify_verb },
};

int verb_symbfile(int argc, char **argv)
{
	return verbs_run("cairn symbfile",
	                 "Elastic symbfiles: symbols, lines and inlined calls by address.", verbs,
	                 COUNT(verbs), argc, argv);
}
