/* SPDX-License-Identifier: MIT */
/*
 * cairn-net: the verbs that need a network, executed by net_start.c. `service` implements `cairn
 * serve`, `work` implements `cairn work`, and `bodies` downloads files for `cairn symbolize`.
 */
#include "cli/symbfile/symbfile.h"

static const struct verb verbs[] = {
	{ "bodies", "fetch the files of references for cairn symbolize", verb_bodies },
	{ "fetch", "fetch symbols from a symbol server", symbfile_fetch_verb },
	{ "push", "send symbfiles to a symbol server", symbfile_push_verb },
	{ "serve", "run a symbol server", symbfile_serve_verb },
	{ "service", "name addresses over HTTP", verb_serve },
	{ "work", "answer requests from a queue", verb_work },
};

int main(int argc, char **argv)
{
	return program_run("cairn symbfile", "Elastic symbfiles: exchange with symbol servers.",
	                   verbs, COUNT(verbs), argc, argv);
}
