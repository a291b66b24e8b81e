/* SPDX-License-Identifier: MIT */
/* Dispatches `cairn symbfile` to its verbs. */
#include "symbfile.h"

static const struct verb verbs[] = {
	{ "create", "make the files of an executable", symbfile_create_verb },
	{ "dump", "print all that a file holds", symbfile_dump_verb },
	{ "fetch", "get symbols from a symbol server", symbfile_fetch_verb },
	{ "id", "the FileID of an executable", symbfile_id_verb },
	{ "lookup", "function, file and line of addresses, inlined calls included",
	  symbfile_lookup_verb },
	{ "name", "the name that a symbol gets", symbfile_name_verb },
	{ "push", "send symbfiles to a symbol server", symbfile_push_verb },
	{ "serve", "be a symbol server", symbfile_serve_verb },
	{ "stats", "where the bytes go", symbfile_stats_verb },
	{ "verify", "check a file from end to end", symbfile_verify_verb },
};

int verb_symbfile(int argc, char **argv)
{
	return verbs_run("cairn symbfile",
	                 "Elastic symbfiles: symbols, lines and inlined calls by address.", verbs,
	                 COUNT(verbs), argc, argv);
}
