/* SPDX-License-Identifier: MIT */
/* cairn gsym create: a GSYM file of what an input knows, or of each input of a tree. */
#include "create.h"

#include "convert/source/function_source.h"
#include "tree.h"

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
	                    : argc > 1             ? "more than one INPUT"
	                    : argc || create->tree ? check_create_options(create)
	                                           : "no INPUT";
	if (wrong)
		return usage_error(command, "%s", wrong);
	create->json = *form == FORM_JSON;
	create->gsym.version = (unsigned)create->version;
	return create->tree ? create_tree(create) : create_file(create, argv[0]);
}

/* What is kept of each function. */
#define OPTIONS_KEPT(create)                                                                  \
	{ .name = "merged-functions",                                                         \
	  .help = "keep all functions that share the same code",                              \
	  .flag = &(create).input.options.merged },                                           \
		{ .name = "call-sites",                                                       \
		  .help = "record the return address of each call",                           \
		  .flag = &(create).input.options.calls },                                    \
	{                                                                                     \
		.name = "statements", .help = "keep the rows that breakpoints on lines need", \
		.flag = &(create).input.options.statements                                    \
	}

int gsym_create(int argc, char **argv)
{
	struct create create = { .version = 1,
		                 .gsym = CAIRN_GSYM_OPTIONS,
		                 .input = FUNCTIONS_INPUT };
	enum form form = FORM_TEXT;
	const struct option options[] = {
		{ .name = "output",
		  .letter = 'o',
		  .argument = "OUT",
		  .help = "write there; - is standard output",
		  .text = &create.out },
		{ .name = "tree",
		  .argument = "DIR",
		  .help = "make files of all programs and debug files below this folder, in the "
		          "store OUT",
		  .text = &create.tree },
		{ .name = "embed",
		  .help = "write a copy of INPUT with a section .gsym; without -o in place of "
		          "INPUT",
		  .flag = &create.gsym.embed },
		{ .name = "format",
		  .argument = "1|2",
		  .help = "write this version of GSYM (1)",
		  .number = &create.version },
		OPTIONS_KEPT(create),
		{ .name = "segment-size",
		  .argument = "BYTES",
		  .help = "split into files OUT-0xSTART of at most this size",
		  .number = &create.gsym.segment_size },
		{ .name = "verify",
		  .help = "look up every address in the result before writing it",
		  .flag = &create.gsym.verify },
		{ .name = "truncate-uuid",
		  .help = "shorten a long build ID so that version 1 can hold it",
		  .flag = &create.gsym.truncate_build_id },
		{ .name = "base",
		  .argument = "ADDRESS",
		  .help = "add this to the addresses of a Breakpad file",
		  .number = &create.input.options.base },
		{ .name = "directory",
		  .argument = "DIR[:DIR...]",
		  .help = "search these folders for debug files",
		  .folders = &create.input.options.folders },
		{ .name = "symtab-file",
		  .argument = "FILE",
		  .help = "take symbols from this ELF file of the build, not from INPUT",
		  .text = &create.input.options.symbols },
		{ .name = "keep-going",
		  .help = "write the undamaged part of damaged DWARF",
		  .flag = &create.gsym.keep_damaged },
		OPTIONS_FUNCTIONS(create.input),
		OPTION_JSON(&form),
	};
	const struct command command = { "cairn gsym create [OPTION...] INPUT", about, options,
		                         COUNT(options) };

	create.input.jobs = function_source_default_jobs();
	return run_create(&create, &form, &command, argc, argv);
}
