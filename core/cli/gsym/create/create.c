/* SPDX-License-Identifier: MIT */
/* cairn gsym create: a GSYM file of what an input knows, or of each input of a tree. */
#include "create.h"

#include "base/threads.h"

#include <string.h>

static const char about[] =
	"Creates a GSYM file from an ELF file (DWARF and symbols), a separate "
	"debug file, Breakpad\nsymbols, a symbfile, or another GSYM file.  "
	"Without -o, OUT is INPUT.gsym.  OUT appears\nwhole or not at all.  "
	"The same input gives the same bytes with any number of threads.\n"
	"With --tree, files that are in the store and whole are not made again.";

static const char *check_create_options(const struct create *create)
{
	if (create->version != 1 && create->version != 2)
		return "--format is 1 or 2";
	if (create->input.jobs < 1 || create->input.jobs > CAIRN_FUNCTIONS_JOBS_MAX)
		return "--jobs is 1 to 256";
	if (create->gsym.segment_size && create->out && strcmp(create->out, "-") == 0)
		return "pieces cannot go to standard output";
	if (create->tree && (!create->out || strcmp(create->out, "-") == 0))
		return "--tree needs --output with the folder of the store";
	if (create->tree && create->gsym.segment_size)
		return "--tree makes no pieces";
	if (create->tree && create->input.options.symbols)
		return "--symtab-file is for one INPUT, not for --tree";
	if (create->gsym.embed && (create->tree || create->gsym.segment_size))
		return "--embed makes one file: not with --tree or --segment-size";
	return NULL;
}

/* `form` is among the options, so it is known only once they are read. */
static int run_create(struct create *create, const enum form *form, const struct command *command,
                      int argc, char **argv)
{
	int status = EXIT_CLEAN;

	if (!options_parse(command, &argc, argv, &status))
		return status;
	const char *wrong = create->tree && argc   ? "--tree takes no INPUT"
	                    : argc || create->tree ? check_create_options(create)
	                                           : "no INPUT";
	if (wrong)
		return usage_error(command, "%s", wrong);
	create->json = *form == FORM_JSON;
	create->gsym.version = (unsigned)create->version;
	return create->tree ? create_tree(create) : create_file(create, argv[0]);
}

/* What is kept of each function. */
#define OPTIONS_KEPT(create)                                                              \
	OPTION_FLAG("merged-functions", "keep all functions that share the same code",    \
	            &(create).input.options.merged),                                      \
		OPTION_FLAG("call-sites", "record the return address of each call",       \
	                    &(create).input.options.calls),                               \
		OPTION_FLAG("statements", "keep the rows that breakpoints on lines need", \
	                    &(create).input.options.statements)

int gsym_create(int argc, char **argv)
{
	struct create create = { .version = 1,
		                 .gsym = CAIRN_GSYM_OPTIONS,
		                 .input = FUNCTIONS_INPUT };
	enum form form = FORM_TEXT;
	const struct option options[] = {
		OPTION_TEXT_OF('o', "output", "OUT", "write there; - is standard output",
		               &create.out),
		OPTION_TEXT("tree", "DIR",
		            "make files of all programs and debug files below this folder, in the "
		            "store OUT",
		            &create.tree),
		OPTION_FLAG("embed",
		            "write a copy of INPUT with a section .gsym; without -o in place of "
		            "INPUT",
		            &create.gsym.embed),
		OPTION_NUMBER("format", "1|2", "write this version of GSYM (1)", &create.version),
		OPTIONS_KEPT(create),
		OPTION_NUMBER("segment-size", "BYTES",
		              "split into files OUT-0xSTART of at most this size",
		              &create.gsym.segment_size),
		OPTION_FLAG("verify", "look up every address in the result before writing it",
		            &create.gsym.verify),
		OPTION_FLAG("truncate-uuid",
		            "shorten a long build ID so that version 1 can hold it",
		            &create.gsym.truncate_build_id),
		OPTION_NUMBER("base", "ADDRESS", "add this to the addresses of a Breakpad file",
		              &create.input.options.base),
		OPTION_FOLDERS("directory", "DIR[:DIR...]", "search these folders for debug files",
		               &create.input.options.folders),
		OPTION_TEXT("symtab-file", "FILE",
		            "take symbols from this ELF file of the build, not from INPUT",
		            &create.input.options.symbols),
		OPTION_FLAG("keep-going", "write the undamaged part of damaged DWARF",
		            &create.gsym.keep_damaged),
		OPTIONS_FUNCTIONS(create.input),
		OPTION_JSON(&form),
	};
	const struct command command = { "cairn gsym create [OPTION...] INPUT|--tree DIR", about,
		                         options, COUNT(options) };

	create.input.jobs = threads_default();
	return run_create(&create, &form, &command, argc, argv);
}
