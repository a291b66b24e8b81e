/* SPDX-License-Identifier: MIT */
/* `cairn sframe convert`: converts the tables of a file to one table of version 2 or 3. */
#include "cli/sframe/sframe.h"
#include "made.h"

static const char about[] =
	"Writes the SFrame tables of FILE, of any version, as one table of version 2 or 3, in the "
	"place\n"
	"of the old ones: glibc reads the section of a program, and only version 2. Each address "
	"keeps\n"
	"its rule; code whose rule version 2 cannot express has no row (--report counts it). "
	"Without\n"
	"-o, FILE itself is replaced. A table that is larger than the old section does not fit;\n"
	"--side-file writes a file of its own with the table, as `cairn sframe create` does.";

struct conversion {
	struct sframe_making making;
	struct sframe_source source;
	bool side_file;
};

static int convert_bytes(const struct conversion *c, const char *input, struct cairn_bytes file,
                         const char *path)
{
	struct cairn_sframe_options options = sframe_making_options(&c->making);
	struct cairn_sframe_file made;
	struct cairn_fault fault;

	options.raw = c->source.raw;
	options.address = c->source.address;
	options.side_file = c->side_file;
	const enum cairn_status status = cairn_sframe_file_convert(file, &options, &made, &fault);
	return status == CAIRN_OK ? sframe_finish_made(&c->making, input, path,
	                                               c->side_file ? NULL : input, &made)
	                          : sframe_report_unmade(input, status, &fault);
}

static int convert_file(const struct conversion *c, const char *input)
{
	struct os_file file;
	char path[SFRAME_PATH];

	if (!sframe_name_output(&c->making, input, c->side_file ? ".sframe" : "", path) ||
	    !input_open(input, &file))
		return EXIT_BROKEN;
	const int status = convert_bytes(c, input, file.bytes, path);
	os_file_close(&file);
	return status;
}

int sframe_convert(int argc, char **argv)
{
	struct conversion c = { .making = { .form = FORM_TEXT } };
	const struct option options[] = {
		OPTION_NUMBER("to", "2|3", "the version of SFrame that is wanted",
		              &c.making.version),
		OPTION_FLAG("side-file",
		            "write a file of its own, not the program with another section",
		            &c.side_file),
		OPTION_FLAG("raw", "FILE contains the bare bytes of a section", &c.source.raw),
		OPTION_NUMBER("address", "A", "the address of the bare bytes as linked (default 0)",
		              &c.source.address),
		OPTIONS_MADE(&c.making),
	};
	const struct command command = { "cairn sframe convert [OPTION...] --to 2|3 FILE",
		                         about,
		                         options,
		                         COUNT(options),
		                         .operands = { 1, 1, { "FILE" } },
		                         .rights = RIGHT_BESIDE };
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	if (c.side_file && c.source.raw)
		return usage_error(&command, "--side-file is for programs, not for --raw");
	status = sframe_check_making(&command, &c.making, "--to");
	return status == EXIT_CLEAN ? convert_file(&c, argv[0]) : status;
}
