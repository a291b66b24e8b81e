/* SPDX-License-Identifier: MIT */
#include "sframe_verify.h"

static const char about[] =
	"Checks the structure of every SFrame table, function and row, and where the file has\n"
	".eh_frame compares the rule for every byte of code with it.  Tells faults, with their\n"
	"offset in the section; notes on what readers have to tolerate; and the ranges where the\n"
	"two differ.  Exit status 1: there are differences; 3: there are faults.";

static int verify_file(const char *path, const struct sframe_source *source, enum form form)
{
	struct sframe_input input;
	struct verify verify = { .input = &input, .form = form, .json = json_to(stdout) };

	if (!sframe_input_open(path, source, &input, &verify.status))
		return verify.status;
	verify_structure(&verify);
	verify_against_eh_frame(&verify);
	verify_tell_summary(&verify);
	sframe_input_close(&input);
	return verify.status;
}

int sframe_verify(int argc, char **argv)
{
	struct sframe_source source = { .raw = false };
	enum form form = FORM_TEXT;
	const struct option options[] = { OPTION_LINES(&form), OPTION_JSON(&form),
		                          OPTIONS_SOURCE(&source) };
	const struct command command = { "cairn sframe verify [OPTION...] FILE...", about, options,
		                         COUNT(options) };
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (argc == 0)
		return usage_error(&command, "no FILE");
	for (int i = 0; i < argc; i++) {
		if (form == FORM_LINES && argc > 1)
			sframe_print_name(stdout, argv[i]);
		status = worse(status, verify_file(argv[i], &source, form));
	}
	return status;
}
