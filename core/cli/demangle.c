/* SPDX-License-Identifier: MIT */
/*
 * `cairn demangle`: prints demangled names. Lines of standard input that are not mangled names are
 * printed unchanged, so that lists of symbols can be piped through the command.
 */
#include "cli/front/cli.h"
#include "cli/front/line_reader.h"
#include "cli/front/rights.h"

#include "output/escape.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static const char about[] =
	"Print the demangled form of each NAME, or of each line of standard input: C++, Rust and\n"
	"Swift. Other names are printed unchanged.";

static void print_name(struct cairn_bytes name, enum cairn_name_form form)
{
	static char demangled[CAIRN_DEMANGLE_MAX];
	size_t size = cairn_demangle_as(name, form, demangled, sizeof(demangled));

	print_text(stdout, size ? (struct cairn_bytes){ (const uint8_t *)demangled, size } : name);
	putchar('\n');
}

int verb_demangle(int argc, char **argv)
{
	bool full = false;
	const struct option options[] = {
		OPTION_FLAG("full", "print Swift names with modules, types and requirements",
		            &full),
	};
	const struct command command = COMMAND("cairn demangle [OPTION...] [NAME...]", about,
	                                       options, OPERANDS(0, OPERANDS_MANY, "NAME"));
	int status = EXIT_CLEAN;

	if (!options_parse(&command, &argc, argv, &status))
		return status;
	rights_expect_files(0);
	enum cairn_name_form form = full ? CAIRN_NAME_FULL : CAIRN_NAME_SHORT;
	for (int i = 0; i < argc; i++)
		print_name(borrow_string(argv[i]), form);
	if (argc > 0)
		return status;

	struct line_reader lines = { .fd = STDIN_FILENO };
	struct cairn_bytes line;
	for (enum line_reader_kind kind;
	     (kind = line_reader_next(&lines, &line)) != LINE_READER_END;)
		if (kind == LINE_READER_LINE)
			print_name(line, form);
		else
			status = fail_with(NULL,
			                   "omitting the line at byte %" PRIu64
			                   ", which exceeds the limit of %d bytes",
			                   lines.offset, LINE_READER_MAX);
	if (lines.error)
		status = fail_with(NULL, "standard input: %s", strerror(lines.error));
	line_reader_finish(&lines);
	return status;
}
