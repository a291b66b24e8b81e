/* SPDX-License-Identifier: MIT */
/* Dispatches `cairn symbols` to its only verb, write. */
#include "symbols.h"

static const struct verb verbs[] = {
	{ "write", "write symbols as an ELF file with DWARF, for any debugger", symbols_write },
};

int verb_symbols(int argc, char **argv)
{
	return verbs_run("cairn symbols", "Symbols for debuggers that do not know their format.",
	                 verbs, COUNT(verbs), argc, argv);
}
