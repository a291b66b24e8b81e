/* SPDX-License-Identifier: MIT */
/* `cairn bt`: parses the options, opens the input, and prints the stacks. */
#include "bt.h"

#include "output/color.h"

#include <string.h>

static const char about[] =
	"Prints the stacks of all threads of a program from its core file or minidump, the\n"
	"thread that crashed first. '-' is one on standard input. PROGRAM is the executable,\n"
	"if it is not where the core has it. A report in JSON, of 'cairn crash' or --json, is\n"
	"printed as the text of its stacks. Exit status 0: every stack ends at its outermost\n"
	"frame, and no frame is a guess; 1: some do not, or PROGRAM is another one; 3: nothing\n"
	"could be had.";

static int judge_stacks(const struct bt *bt)
{
	if (bt->stack_count == 0)
		return bt->options.thread ? EXIT_MISSING : EXIT_BROKEN;
	for (size_t i = 0; i < bt->stack_count; i++)
		if (bt->stacks[i].end.guesses ||
		    (!bt->stacks[i].end.complete && !bt_ends_as_asked(bt, &bt->stacks[i])))
			return EXIT_MISSING;
	return cairn_stacks_problems(bt->opened, NULL) > 0 ? EXIT_MISSING : EXIT_CLEAN;
}

static void print_stacks(struct bt *bt)
{
	if (!bt->options.markup)
		bt_prepare_names(bt);
	if (bt->options.folded)
		bt_print_folded(bt);
	else if (bt->options.markup)
		bt_print_markup(bt);
	else if (bt->options.form == FORM_JSON)
		bt_print_json(bt);
	else
		bt_print_text(bt);
}

static int print_core(struct bt *bt)
{
	int status = bt_input_open(bt);

	if (status != EXIT_CLEAN)
		return status;
	if (bt->is_report) {
		status = bt_print_report(bt);
		bt_close(bt);
		return status;
	}
	bt_print_problems(bt);
	if (bt->options.list_modules) {
		bt_print_modules(bt);
		status = cairn_stacks_modules(bt->opened) > 0 ? EXIT_CLEAN : EXIT_BROKEN;
	} else if (bt_walk(bt)) {
		if (bt->options.build_ids && !bt_print_build_ids(bt))
			print_diagnostic(bt->path, "no module of its frames has a build ID");
		if (!bt->options.build_ids)
			print_stacks(bt);
		if (bt->stack_count == 0 && !bt->options.thread &&
		    cairn_stacks_problems(bt->opened, NULL) == 0)
			print_diagnostic(bt->path, "no registers of any thread are in it");
		status = judge_stacks(bt);
	} else {
		status = fail_with(bt->path, "out of memory");
	}
	if (bt->printed.over) {
		print_diagnostic(
			bt->path,
			"frames and modules share too many bytes of names; the rest are left out");
		status = choose_worse(status, EXIT_MISSING);
	}
	status = choose_worse(status, bt_check_program(bt));
	bt_close(bt);
	return status;
}

bool bt_take_operands(struct bt *bt, const struct command *command, int argc, char **argv,
                      int *status)
{
	int cores = bt->options.pid ? 0 : 1;

	if (argc < cores || argc > cores + 1) {
		*status = usage_error(command, argc < cores ? "no CORE" : "more than one PROGRAM");
		return false;
	}
	bt->path = cores ? argv[0] : "--pid";
	bt->options.program = argc > cores ? argv[cores] : NULL;
	return true;
}

static bool check_options(struct bt *bt, const struct command *command, int *status)
{
	struct bt_options *options = &bt->options;
	const char *color = options->color, *form = NULL;
	const struct {
		const char *name;
		bool is_given;
	} forms[] = { { "--json", options->form == FORM_JSON && !options->list_modules },
		      { "--markup", options->markup },
		      { "--folded", options->folded },
		      { "--build-ids", options->build_ids },
		      { "--list-modules", options->list_modules } };

	for (size_t i = 0; i < COUNT(forms); i++) {
		if (!forms[i].is_given)
			continue;
		if (form) {
			*status = usage_error(command, "%s or %s, not both", form, forms[i].name);
			return false;
		}
		form = forms[i].name;
	}
	if (options->all)
		options->crashed_only = false;
	bt->takes_report = true;
	bt->color = color_is_wanted(color, stdout);
	if (!color || strcmp(color, "auto") == 0 || strcmp(color, "always") == 0 ||
	    strcmp(color, "never") == 0)
		return true;
	*status = usage_error(command, "--color is auto, always or never");
	return false;
}

static int run_bt(struct bt *bt, const struct command *command, int argc, char **argv)
{
	int status = EXIT_CLEAN;

	if (!options_parse(command, &argc, argv, &status) || !check_options(bt, command, &status) ||
	    !bt_take_operands(bt, command, argc, argv, &status))
		return status;
	return print_core(bt);
}

#define OPTIONS_THREADS(options)                                                            \
	OPTION_NUMBER_OF('n', "count", "N", "print N frames of each stack; 0: all of them", \
	                 &(options).count),                                                 \
		OPTION_FLAG_OF('1', "crashed", "only the thread that crashed",              \
	                       &(options).crashed_only),                                    \
		OPTION_FLAG("all", "all threads, as without --crashed", &(options).all),    \
		OPTION_NUMBER("thread", "N|TID",                                            \
	                      "only this thread, by its number or its ID (LWP)",            \
	                      &(options).thread)

int verb_bt(int argc, char **argv)
{
	struct bt bt = { .options = { .form = FORM_TEXT },
		         .debuginfod = { .deadline = DEBUGINFOD_DEADLINE } };
	const struct option options[] = {
		OPTION_JSON(&bt.options.form),
		OPTIONS_THREADS(bt.options),
		OPTION_WITH(RIGHT_TRACE, number, 'p', "pid", "PID",
		            "the stacks of a running process, which goes on at once",
		            &bt.options.pid),
		OPTION_FLAG("list-modules", "print the modules and their build IDs, not the stacks",
		            &bt.options.list_modules),
		OPTION_FLAG("build-ids",
		            "print the build IDs of the modules that name the stacks, one a line",
		            &bt.options.build_ids),
		OPTION_FLAG("dedup", "print equal stacks once, with how many threads have them",
		            &bt.options.dedup),
		OPTION_FLAG("folded", "one line for each stack, as flame graphs want it",
		            &bt.options.folded),
		OPTION_FLAG("markup",
		            "addresses as symbolizer markup, to be resolved elsewhere by 'cairn "
		            "markup'",
		            &bt.options.markup),
		OPTION_FLAG("explain",
		            "by what rule each caller was found, and where symbols were looked for",
		            &bt.options.explain),
		OPTION_FLAG("registers", "the values of each thread's registers",
		            &bt.options.registers),
		OPTION_TEXT("color", "WHEN",
		            "auto, always or never: colours as in GDB, libraries dimmed",
		            &bt.options.color),
		BT_OPTIONS_FILES(&bt),
		OPTION_WITH(RIGHT_NETWORK | RIGHT_FETCHES, flag, 0, "debuginfod", NULL,
		            "also ask the servers in DEBUGINFOD_URLS, for programs too",
		            &bt.options.use_debuginfod),
		OPTION_DEBUGINFOD_DEADLINE(&bt.debuginfod.deadline),
		OPTION_FLAG("quiet",
		            "show no progress on a terminal, and no line about missing symbols",
		            &bt.options.quiet),
	};
	const struct command command = {
		"cairn bt [OPTION...] CORE|MINIDUMP|REPORT|-|--pid PID [PROGRAM]",
		about,
		options,
		COUNT(options),
		.operands = { 0, 2, { "PROGRAM" } },
		.rights = RIGHT_FINDS
	};

	return run_bt(&bt, &command, argc, argv);
}
