/* SPDX-License-Identifier: MIT */
/* Puts into words why debuginfod did not help. */
#include "debuginfod.h"

const char *debuginfod_explain(enum debuginfod_answer answer)
{
	switch (answer) {
	case DEBUGINFOD_FOUND:
	case DEBUGINFOD_NONE:
	case DEBUGINFOD_UNREACHABLE:
		break;
	case DEBUGINFOD_LATE:
		return "debuginfod did not answer in time, and is not asked again";
	case DEBUGINFOD_NO_SERVER:
		return "DEBUGINFOD_URLS names no server";
	case DEBUGINFOD_NO_LIBRARY:
		return "libdebuginfod.so.1 cannot be opened";
	case DEBUGINFOD_NO_ROOM:
		return "what debuginfod sent cannot be written into its cache: its disk may be "
		       "full";
	case DEBUGINFOD_LATE_BEFORE:
		break; /* it was reported when it was late */
	}
	return NULL;
}
