/* SPDX-License-Identifier: MIT */
/* `cairn dwarf`: what the reader of DWARF hands to the writers of symbol formats. */
#include "dump.h"

static const struct verb verbs[] = {
	{ "dump", "print functions, rows and inlined calls as DWARF has them", dwarf_dump },
};

int verb_dwarf(int argc, char **argv)
{
	return verbs_run("cairn dwarf", "DWARF: functions, lines and inlined calls.", verbs,
	                 COUNT(verbs), argc, argv);
}
