/* SPDX-License-Identifier: MIT */
/* Runs a command on each file operand, and combines the exit statuses. */
#include "cli.h"

#include "rights.h"

#include "output/escape.h"

void print_file_name(const char *path)
{
	print_string_between(stdout, "# ", path, "\n");
}

int for_each_file(const struct command *command, int argc, char **argv,
                  const struct for_each_file *each)
{
	int status = EXIT_CLEAN;

	if (!options_parse(command, &argc, argv, &status))
		return status;
	const unsigned each_opens = each->with && *each->with ? 2 : 1;
	for (int i = 0; i < argc; i++) {
		if (argc > 1 && each->form && *each->form == FORM_LINES)
			print_file_name(argv[i]);
		rights_expect_files((unsigned)(argc - i) * each_opens);
		status = choose_worse(status, each->take(argv[i], each->context));
	}
	return status;
}
