/* SPDX-License-Identifier: MIT */
/*
 * `cairn symbfile create`: creates the two symbfiles of an executable, one with ranges and one with
 * return pads.
 */
#include "symbfile.h"

#include "base/threads.h"
#include "cli/front/functions.h"
#include "output/escape.h"

#include <inttypes.h>
#include <string.h>

static const char about[] =
	"Create symbfiles for BINARY: OUT.ranges and OUT.returnpads. The information comes\n"
	"from its DWARF and symbols, or from those of --debug. A Breakpad or GSYM file gives\n"
	"OUT.ranges only. Without -o, OUT is BINARY. Files appear complete or not at all, and\n"
	"the same input gives the same bytes.";

struct create {
	const char *out, *only, *debug, *binary;
	enum form form;
	struct cairn_symbfile_options options;
	struct cairn_symbfile_summary summary;
	struct functions_input input;
	struct cairn_functions *functions;
};

enum { LOSSES = 7 };

static void list_losses(const struct cairn_symbfile_summary *s,
                        struct cairn_functions_drop losses[LOSSES])
{
	const struct cairn_functions_drop all[LOSSES] = {
		{ "functions without a name", s->nameless },
		{ "functions whose code is another's", s->repeated },
		{ "symbols that touch other functions", s->covered },
		{ "symbols without size and neighbour", s->sizeless },
		{ "inlined calls too deep", s->too_deep },
		{ "ends of ranges that claim more than 64 GB", s->too_long },
		{ "places without an instruction", s->undecoded },
	};

	memcpy(losses, all, sizeof(all));
}

static void print_json(const struct create *c)
{
	const struct cairn_symbfile_summary *s = &c->summary;
	struct cairn_functions_drop drop;
	struct json j = json_to(stdout);
	struct cairn_functions_drop losses[LOSSES];

	list_losses(s, losses);
	json_object(&j, NULL);
	json_string(&j, "input", c->debug ? c->debug : c->binary);
	json_number(&j, "functions", s->functions);
	json_number(&j, "from_symbols", s->symbols);
	json_number(&j, "ranges", s->ranges);
	json_number(&j, "lines", s->rows);
	json_number(&j, "ranges_bytes", s->range_bytes);
	json_number(&j, "return_pads", s->pads);
	json_number(&j, "return_pad_frames", s->frames);
	json_number(&j, "returnpads_bytes", s->pad_bytes);
	json_object(&j, "dropped");
	for (size_t at = 0; cairn_functions_next_drop(c->functions, &at, &drop);)
		json_number(&j, drop.what, drop.count);
	for (size_t i = 0; i < LOSSES; i++)
		json_number(&j, losses[i].what, losses[i].count);
	json_end(&j);
	json_end(&j);
}

static int write_files(struct create *c)
{
	const char *base = c->out ? c->out : c->binary;
	const struct cairn_output output = { sizeof(output), base, NULL, NULL };

	c->summary.size = sizeof(c->summary);
	if (cairn_functions_write_symbfiles(c->functions, &c->options, &output, &c->summary,
	                                    &c->input.error) != CAIRN_OK)
		return functions_input_fail(&c->input);
	progress_end(&c->input.line);
	if (c->form == FORM_JSON)
		print_json(c);
	else if (!c->input.quiet) {
		const struct cairn_symbfile_summary *s = &c->summary;
		struct cairn_functions_drop drop;
		struct cairn_functions_drop losses[LOSSES];
		list_losses(s, losses);
		print_string(stdout, c->debug ? c->debug : c->binary);
		printf(": %" PRIu64 " functions (%" PRIu64 " from symbols alone), %" PRIu64
		       " ranges, %" PRIu64 " lines: %" PRIu64 " bytes; %" PRIu64
		       " return pads: %" PRIu64 " bytes\n",
		       s->functions, s->symbols, s->ranges, s->rows, s->range_bytes, s->pads,
		       s->pad_bytes);
		for (size_t at = 0; cairn_functions_next_drop(c->functions, &at, &drop);)
			printf("  dropped: %" PRIu64 " %s\n", drop.count, drop.what);
		for (size_t i = 0; i < LOSSES; i++)
			if (losses[i].count)
				printf("  dropped: %" PRIu64 " %s\n", losses[i].count,
				       losses[i].what);
	}
	return EXIT_CLEAN;
}

static int create_one(struct create *c, const char *binary)
{
	c->binary = binary;
	c->options.program = c->debug ? binary : NULL;
	c->functions = functions_input_open(&c->input, c->debug ? c->debug : binary);
	const int status = c->functions ? write_files(c) : EXIT_BROKEN;
	functions_input_close(&c->input, c->functions);
	return status;
}

int symbfile_create_verb(int argc, char **argv)
{
	struct create c = { .options = CAIRN_SYMBFILE_OPTIONS, .input = FUNCTIONS_INPUT };
	const struct option options[] = {
		OPTION_OUTPUT('o', "output", "OUT", "write OUT.ranges and OUT.returnpads", &c.out),
		OPTION_TEXT("debug", "FILE", "the file with the debugging information of BINARY",
		            &c.debug),
		OPTION_DIRECTORIES("directory", "DIR[:DIR...]",
		                   "search these directories for debug files",
		                   &c.input.options.directories),
		OPTION_TEXT("only", "ranges|returnpads", "write only one of the two files",
		            &c.only),
		OPTION_FLAG("linkage-names", "keep mangled names", &c.options.raw_names),
		/* old name of --linkage-names */
		{ .name = "raw-names", .flag = &c.options.raw_names },
		OPTION_NUMBER_OF('j', "jobs", "N", "threads", &c.input.jobs),
		OPTION_FLAG("quiet", "print errors only", &c.input.quiet),
		OPTION_JSON(&c.form),
	};
	const struct command command =
		COMMAND("cairn symbfile create [OPTION...] BINARY", about, options,
	                OPERANDS(1, 1, "BINARY"), .rights = RIGHT_FINDS | RIGHT_BESIDE);
	int status = EXIT_CLEAN;

	c.input.jobs = threads_default();
	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (c.only && strcmp(c.only, "ranges") != 0 && strcmp(c.only, "returnpads") != 0)
		return usage_error(&command, "--only must be ranges or returnpads");
	if (c.input.jobs < 1 || c.input.jobs > CAIRN_FUNCTIONS_JOBS_MAX)
		return usage_error(&command, "--jobs must be from 1 to %d",
		                   CAIRN_FUNCTIONS_JOBS_MAX);
	c.options.no_ranges = c.only && strcmp(c.only, "returnpads") == 0;
	c.options.no_returns = c.only && !c.options.no_ranges;
	return create_one(&c, argv[0]);
}
