/* SPDX-License-Identifier: MIT */
/* cairn gsym diff: what two files tell differently about one program. */
#include "diff.h"

#include "cli/front/rights.h"

#include <inttypes.h>
#include <string.h>

static const char about[] =
	"Compares what two files tell about the code of one program: functions, their names and "
	"ranges,\nthe line of each address, inlined calls.  A and B are GSYM files, or files that "
	"'cairn gsym\ncreate' takes, of which GSYM is made in memory.  What only A has comes "
	"after -, what only B\nhas after +.  Exit status 0: equal; 1: they differ; 2: a file "
	"cannot be read, or is damaged.";

static bool take_difference(void *context, const struct gsym_difference *difference)
{
	struct diff *diff = context;

	diff->differs = true;
	if (diff->quiet)
		return false;
	if (diff->form == FORM_JSON)
		diff_print_json(diff, difference);
	else
		diff_print_text(diff, difference);
	return !diff->printed.over;
}

static void compare_build_ids(struct diff *diff)
{
	struct cairn_bytes a = diff->first.gsym->uuid, b = diff->second.gsym->uuid;

	if (a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0))
		return;
	diff->differs = true;
	if (diff->quiet)
		return;
	if (diff->form == FORM_JSON)
		diff_print_json_build_ids(diff);
	else
		diff_print_build_ids(diff);
}

/* Damage may hide differences, so equality is not reported then. */
static bool report_losses(const struct diff_file *file, const struct gsym_losses *losses)
{
	if (losses->count)
		print_fault_diagnostic(file->input.path, NULL, &losses->first,
		                       "what is damaged was not compared");
	return losses->count > 0 || (file->functions && file->functions->origin.damaged);
}

static int conclude_diff(struct diff *diff)
{
	bool lost = report_losses(&diff->first, &diff->counts.lost_first);

	lost |= report_losses(&diff->second, &diff->counts.lost_second);
	if (diff->printed.over) {
		print_diagnostic(NULL, "the differences share too many bytes of names; the rest is "
		                       "left out");
		return DIFF_TROUBLE;
	}
	if (!diff->quiet && diff->form == FORM_JSON)
		diff_print_json_counts(diff);
	else if (!diff->quiet)
		diff_print_text_counts(diff);
	return lost ? DIFF_TROUBLE : diff->differs ? DIFF_DIFFERS : DIFF_EQUAL;
}

static int compare_opened(struct diff *diff)
{
	const struct gsym *a = diff->first.gsym, *b = diff->second.gsym;
	const struct gsym_difference_sink sink = { take_difference, diff };
	struct cairn_fault fault;
	bool in_second;

	diff->printed = gsym_printed(a);
	allowance_add(&diff->printed, 1, gsym_printed(b).left);
	compare_build_ids(diff);
	enum cairn_status status =
		gsym_diff(a, b, &diff->compare, &sink, &diff->counts, &fault, &in_second);
	if (status == CAIRN_OK)
		return conclude_diff(diff);
	const char *path = in_second ? diff->second.input.path : diff->first.input.path;
	if (status == CAIRN_NO_MEMORY)
		print_diagnostic(path, "out of memory");
	else
		print_fault_diagnostic(path, NULL, &fault, "'cairn gsym verify' reports all of it");
	return DIFF_TROUBLE;
}

static int compare_paths(struct diff *diff, const char *first, const char *second)
{
	int status = DIFF_TROUBLE;

	if (!diff_file_open(diff, first, &diff->first))
		return DIFF_TROUBLE;
	if (diff_file_open(diff, second, &diff->second)) {
		rights_end_search();
		status = compare_opened(diff);
		diff_file_close(&diff->second);
	}
	diff_file_close(&diff->first);
	return status;
}

int gsym_diff_verb(int argc, char **argv)
{
	struct diff diff = { .input = FUNCTIONS_INPUT, .json = json_to(stdout) };
	const struct option options[] = {
		OPTION_JSON(&diff.form),
		OPTION_FLAG("quiet", "print nothing but errors", &diff.quiet),
		OPTION_FLAG("statements", "also compare what breakpoints on lines need",
		            &diff.compare.statements),
		OPTION_FLAG("merged-functions",
		            "also compare functions that share the code of others",
		            &diff.compare.merged),
		OPTION_FLAG("call-sites", "also compare the return addresses of calls",
		            &diff.compare.calls),
		OPTION_FOLDERS("directory", "DIR[:DIR...]", "search these folders for debug files",
		               &diff.input.options.folders),
		OPTION_NUMBER_OF('j', "jobs", "N", "threads that read DWARF", &diff.input.jobs),
	};
	const struct command command = { "cairn gsym diff [OPTION...] A B", about, options,
		                         COUNT(options) };
	int status = EXIT_CLEAN;

	diff.input.jobs = function_source_default_jobs();
	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (diff.input.jobs < 1 || diff.input.jobs > CAIRN_FUNCTIONS_JOBS_MAX)
		return usage_error(&command, "--jobs is 1 to 256");
	diff.input.quiet = true;
	diff.input.progress = !diff.quiet;
	diff.input.options.statements = diff.compare.statements;
	diff.input.options.merged = diff.compare.merged;
	diff.input.options.calls = diff.compare.calls;
	return compare_paths(&diff, argv[0], argv[1]);
}
