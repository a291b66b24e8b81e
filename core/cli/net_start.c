/* SPDX-License-Identifier: MIT */
/*
 * Executes cairn-net in place of this process for verbs that need a network. These verbs are in a
 * separate program because libcurl, libmicrohttpd and their roughly thirty dependencies take ten
 * times as long to load as everything else.
 */
#define _XOPEN_SOURCE 700 /* execv() */
#include "cli/symbfile/symbfile.h"

#include "cli/front/rights.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Execute cairn-net with the verb and its arguments. --no-sandbox is passed on. */
static int start_net_program(int argc, char **argv)
{
	char path[OWN_FILE_PATH], name[] = "cairn-net";
	char **words = calloc((size_t)argc + 3, sizeof(*words)), kept[] = RIGHTS_KEPT;
	size_t before = 1;

	if (!words)
		return fail_with(NULL, "out of memory");
	words[0] = name;
	if (rights_are_kept())
		words[before++] = kept;
	memcpy(words + before, argv, (size_t)argc * sizeof(*words));
	errno = ENOENT;
	if (!own_file_path(CAIRN_LIBEXECDIR "/cairn/cairn-net", "core/cli/cairn-net", path))
		strcpy(path, name);
	else
		execv(path, words);
	free(words);
	return fail_with(path,
	                 "cannot start: %s; this program is part of cairn, so reinstall cairn",
	                 strerror(errno));
}

int symbfile_fetch_verb(int argc, char **argv)
{
	return start_net_program(argc, argv);
}

int symbfile_push_verb(int argc, char **argv)
{
	return start_net_program(argc, argv);
}

int symbfile_serve_verb(int argc, char **argv)
{
	return start_net_program(argc, argv);
}

int verb_serve(int argc, char **argv)
{
	/*
	 * cairn-net calls this verb `service`, because its `serve` is the verb of `cairn symbfile`
	 */
	static char name[] = "service";

	argv[0] = name;
	return start_net_program(argc, argv);
}

int verb_work(int argc, char **argv)
{
	return start_net_program(argc, argv);
}
