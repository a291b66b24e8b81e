/* SPDX-License-Identifier: MIT */
/* Reports why debuginfod did not help. */
#include "debuginfod_diagnostic.h"

#include "cli.h"

void print_debuginfod_diagnostic(const char *file, struct debuginfod *asked,
                                 enum debuginfod_answer answer)
{
	const bool silent = answer == DEBUGINFOD_FOUND || answer == DEBUGINFOD_NONE ||
	                    answer == DEBUGINFOD_UNREACHABLE || answer == DEBUGINFOD_LATE_BEFORE;

	if (silent || asked->told)
		return;
	print_diagnostic(file, "%s%s", debuginfod_explain(answer),
	                 answer == DEBUGINFOD_LATE ? ", and is not asked again" : "");
	asked->told = true;
}
