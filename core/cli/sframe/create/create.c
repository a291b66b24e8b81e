/* SPDX-License-Identifier: MIT */
/* `cairn sframe create`: creates SFrame tables from the call frame information of programs. */
#include "cli/sframe/sframe.h"
#include "made.h"

#include "base/threads.h"

#include <cairn/functions.h>

#include <string.h>

static const char about[] =
	"Makes an SFrame table from the .eh_frame and .debug_frame of a program, library or debug\n"
	"file, for programs that have lost them: a file with the table and the build ID, by which\n"
	"cairn and debuggers with cairn find it.  Without -o, OUT is INPUT.sframe.  Each row is\n"
	"the rule of the input; code whose rule SFrame cannot express has no row (--report counts\n"
	"it).  The same input gives the same bytes.  A relocatable file gets the section itself.";

static int create_from(const struct sframe_making *making, const char *input)
{
	struct cairn_sframe_file made;
	char path[SFRAME_PATH];

	if (!sframe_name_output(making, input, making->as ? ".rows" : ".sframe", path))
		return EXIT_BROKEN;
	return sframe_create_file(making, input, path, &made);
}

static const char *check_creation(const struct sframe_creation *c, int inputs)
{
	if (c->making.as && strcmp(c->making.as, "rows") != 0)
		return "--as is rows";
	if (c->making.as && (c->making.version != 3 || c->making.share || c->making.join))
		return "--as rows takes none of --format 2, --share-rows and --join-functions";
	if (c->core && (c->tree || c->making.as))
		return "--core takes neither --tree nor --as";
	if (c->directory && !c->core)
		return "--directory is for --core";
	if ((c->tree || c->core) && inputs)
		return c->tree ? "--tree takes no INPUT" : "--core takes no INPUT";
	if ((c->tree || c->core) && (!c->making.out || strcmp(c->making.out, "-") == 0))
		return c->tree ? "--tree needs --output with the folder of the store"
		               : "--core needs --output with the folder of the store";
	if (c->jobs < 1 || c->jobs > CAIRN_FUNCTIONS_JOBS_MAX)
		return "--jobs is 1 to 256";
	return c->tree || c->core || inputs == 1 ? NULL : "no INPUT";
}

int sframe_create(int argc, char **argv)
{
	struct sframe_creation c = { .making = { .version = 3, .form = FORM_TEXT }, .jobs = 2 };
	const struct option options[] = {
		OPTION_NUMBER("format", "2|3", "write this version of SFrame (3)",
		              &c.making.version),
		OPTION_TEXT("as", "rows", "make a flat table for profilers, INPUT.rows",
		            &c.making.as),
		OPTION_WITH(RIGHT_FINDS, text, 0, "tree", "DIR",
		            "make tables of all programs below DIR; OUT is a store by build ID",
		            &c.tree),
		OPTION_WITH(RIGHT_FINDS, text, 0, "core", "CORE",
		            "make tables of the modules of a core, in a store by build ID",
		            &c.core),
		OPTION_FOLDERS("directory", "DIR[:DIR...]",
		               "with --core, search these folders for files of its modules, too",
		               &c.directory),
		OPTION_NUMBER_OF('j', "jobs", "N",
		                 "with --tree, make N at a time (as many as there are processors)",
		                 &c.jobs),
		OPTIONS_MADE(&c.making),
	};
	const struct command command = {
		"cairn sframe create [OPTION...] INPUT|--tree DIR|--core CORE",
		about,
		options,
		COUNT(options),
		.operands = { 0, 1, { "INPUT" } },
		.rights = RIGHT_BESIDE
	};
	int status = EXIT_CLEAN;

	c.jobs = threads_default();
	if (!options_parse(&command, &argc, argv, &status))
		return status;
	const char *wrong = check_creation(&c, argc);
	if (wrong)
		return usage_error(&command, "%s", wrong);
	status = sframe_check_making(&command, &c.making, "--format");
	if (status != EXIT_CLEAN)
		return status;
	if (c.core)
		return sframe_create_core(&c);
	return c.tree ? sframe_create_tree(&c) : create_from(&c.making, argv[0]);
}
