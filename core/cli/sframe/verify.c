/* SPDX-License-Identifier: MIT */
/*
 * Implements `cairn sframe verify`, which runs the structure check and the comparison with
 * .eh_frame on each file.
 */
#include "verify.h"

static const char about[] =
	"Checks the structure of every SFrame table, function and row, and compares the\nrule for "
	"every byte of code with .eh_frame where the file has it.  Prints faults, with "
	"their\noffset in the section; notes on what readers have to tolerate; and the ranges "
	"where the\ntwo differ.  Exit status 1: there are differences; 3: there are faults.";

struct settings {
	struct sframe_source source;
	enum form form;
	const char *against;
	bool quiet;
};

static int verify_file(const char *path, const void *settings)
{
	const struct settings *s = settings;
	struct sframe_input input;
	struct verify verify = { .input = &input,
		                 .against = s->against,
		                 .form = s->form,
		                 .json = json_to(stdout),
		                 .progress =
		                         progress_begin_aside(path, "bytes of code", s->quiet) };

	if (!sframe_input_open(path, &s->source, &input, &verify.status))
		return verify.status;
	verify_structure(&verify);
	verify_against_cfi(&verify);
	progress_end(&verify.progress);
	verify_print_summary(&verify);
	sframe_input_close(&input);
	return verify.status;
}

int sframe_verify(int argc, char **argv)
{
	struct settings s = { .form = FORM_TEXT };
	const struct for_each_file each = { verify_file, &s, &s.form, &s.against };
	const struct option options[] = {
		{ .name = "against",
		  .argument = "PROGRAM",
		  .help = "compare with the call frame information of this file instead",
		  .text = &s.against },
		OPTION_LINES(&s.form),
		OPTION_JSON(&s.form),
		OPTIONS_SOURCE(&s.source),
		OPTION_NO_PROGRESS(&s.quiet),
	};
	const struct command command = { "cairn sframe verify [OPTION...] FILE...", about, options,
		                         COUNT(options) };

	return for_each_file(&command, argc, argv, &each);
}
