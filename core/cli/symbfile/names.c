/* SPDX-License-Identifier: MIT */
/* `cairn symbfile name`: prints the names that symbols get in a symbfile. */
#include "symbfile.h"

#include "cli/front/rights.h"
#include "output/escape.h"
#include "writers/symbfile/names.h"

#include <stdlib.h>
#include <string.h>

static const char about[] = "Prints the name that a symbfile has for each symbol NAME of a linker, "
			    "or for each line of\n"
			    "standard input.";

static void print_readable_name(struct symbfile_naming *naming, const char *word)
{
	print_text(stdout, symbfile_name(naming, (struct cairn_bytes){ (const uint8_t *)word,
	                                                               strlen(word) }));
	putchar('\n');
}

int symbfile_name_verb(int argc, char **argv)
{
	const struct command command = { "cairn symbfile name [NAME...]", about, NULL, 0,
		                         .operands = { 0, OPERANDS_MANY, { "NAME" } } };
	struct symbfile_naming naming = { .cut = NULL };
	char *line = NULL;
	size_t room = 0;
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	rights_expect_files(0);
	for (int i = 0; i < argc; i++)
		print_readable_name(&naming, argv[i]);
	while (argc == 0 && getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		print_readable_name(&naming, line);
	}
	free(line);
	symbfile_naming_finish(&naming);
	return status;
}
