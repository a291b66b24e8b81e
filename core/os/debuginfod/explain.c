/* SPDX-License-Identifier: MIT */
/* Describes the answers of debuginfod for messages. */
#include "debuginfod.h"

#include "base/text_table.h"

const char *debuginfod_explain(enum debuginfod_answer answer)
{
	static const char texts[][TEXT_ROOM] = {
		[DEBUGINFOD_NONE] = "debuginfod has none",
		[DEBUGINFOD_UNREACHABLE] = "a server of debuginfod cannot be asked",
		[DEBUGINFOD_LATE] = "debuginfod did not answer in time",
		[DEBUGINFOD_LATE_BEFORE] = "debuginfod did not answer in time before",
		[DEBUGINFOD_NO_SERVER] = "DEBUGINFOD_URLS names no server",
		[DEBUGINFOD_NO_LIBRARY] = "libdebuginfod.so.1 cannot be opened",
		[DEBUGINFOD_NO_ROOM] = "what debuginfod sent cannot be written into its cache: its "
				       "disk may be full",
	};

	return TEXT_AT(texts, answer, NULL);
}
