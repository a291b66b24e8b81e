/* SPDX-License-Identifier: MIT */
/*
 * Implements `cairn sframe verify`, which runs the structure check and the comparison with
 * .eh_frame on each file.
 */
#include "verify.h"

#include <string.h>

static const char about[] =
	"Checks the structure of every SFrame table, function and row, and compares the\nrule for "
	"every byte of code with .eh_frame where the file has it.  Prints faults, with "
	"their\noffset in the section; notes on what readers have to tolerate; and the ranges "
	"where the\ntwo differ.  Exit status 1: there are differences; 3: there are faults.";

struct settings {
	struct sframe_source source;
	enum form form;
	const char *against;
	const char *as; /* "rows"; NULL: SFrame */
	bool quiet;
};

static int verify_file(const char *path, const struct settings *s)
{
	struct sframe_input input;
	struct verify verify = { .input = &input,
		                 .against = s->against,
		                 .form = s->form,
		                 .json = json_to(stdout),
		                 .progress =
		                         progress_begin_aside(path, "bytes of code", s->quiet) };

	if (!sframe_input_open(path, &s->source, &input, &verify.status))
		return verify.status;
	verify.printed = printed_of(input.file.bytes.size);
	verify_structure(&verify);
	verify_against_cfi(&verify);
	progress_end(&verify.progress);
	verify_print_summary(&verify);
	sframe_input_close(&input);
	return verify.status;
}

/* Every row was looked at when the table was opened. */
static int verify_rows(const char *path, const struct settings *s)
{
	struct sframe_input input = { .path = path };
	struct rowtable table;
	struct cairn_fault fault;
	struct verify verify = { .input = &input,
		                 .row_table = &table,
		                 .against = s->against,
		                 .form = s->form,
		                 .json = json_to(stdout),
		                 .tables = 1,
		                 .progress =
		                         progress_begin_aside(path, "bytes of code", s->quiet) };

	if (!input_open(path, &input.file))
		return EXIT_BROKEN;
	if (rowtable_open(input.file.bytes, &table, &fault) != CAIRN_OK) {
		print_fault_diagnostic(path, NULL, &fault, "a row table is expected");
		verify.status = EXIT_BROKEN;
	} else {
		verify.rows = table.rows;
		verify_against_cfi(&verify);
		progress_end(&verify.progress);
		verify_print_summary(&verify);
	}
	os_file_close(&input.file);
	return verify.status;
}

static int verify_one(const char *path, const void *settings)
{
	const struct settings *s = settings;

	if (s->as && strcmp(s->as, "rows") != 0) {
		print_diagnostic(NULL, "--as is rows");
		return EXIT_USAGE;
	}
	return s->as ? verify_rows(path, s) : verify_file(path, s);
}

int sframe_verify(int argc, char **argv)
{
	struct settings s = { .form = FORM_TEXT };
	const struct for_each_file each = { verify_one, &s, &s.form, &s.against };
	const struct option options[] = {
		OPTION_TEXT("against", "PROGRAM",
		            "compare with the call frame information of this file instead",
		            &s.against),
		OPTION_TEXT("as", "rows", "FILE is a row table; --against says what it is made of",
		            &s.as),
		OPTION_LINES(&s.form),
		OPTION_JSON(&s.form),
		OPTIONS_SOURCE(&s.source),
		OPTION_NO_PROGRESS(&s.quiet),
	};
	const struct command command = { "cairn sframe verify [OPTION...] FILE...", about, options,
		                         COUNT(options) };

	return for_each_file(&command, argc, argv, &each);
}
