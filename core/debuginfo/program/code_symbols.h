/* SPDX-License-Identifier: MIT */
/*
 * Functions known only from symbols: those that DWARF lacks, and the extent of symbols without a
 * size. Names of functions that DWARF knows are not its work (debuginfo/elf/aliases.h is asked for
 * these), nor are lines.
 *
 *	struct code_symbols symbols = { .aliases = &aliases, .known = ranges, .known_count = n };
 *	status = code_symbols_emit(&symbols, elf_file, &sink);
 *
 * A symbol with a size is given as it is, unless a known function begins there and covers it.  One
 * without reaches to the next symbol, the next known function, or the end of its section, whichever
 * comes first, so that it does not swallow gaps or the PLT.  It is left out when something else
 * begins there, or, without a type, inside of something that has a size: then it is a label.
 */
#ifndef CAIRN_DEBUGINFO_PROGRAM_CODE_SYMBOLS_H
#define CAIRN_DEBUGINFO_PROGRAM_CODE_SYMBOLS_H

#include "debuginfo/elf/aliases.h"
#include "model/function.h"

struct code_symbols {
	const struct aliases *aliases; /* sorted */
	struct cairn_range *known;     /* functions of DWARF; sorted by this */
	size_t known_count;
	bool folded; /* also give those with the very range of a known function */

	/* how many were left out */
	uint64_t known_already, labels, outside;
};

/* NO_MEMORY, or what the sink returned.  Rows are not filled in. */
CAIRN_MUST_USE enum cairn_status code_symbols_emit(struct code_symbols *symbols,
                                                   struct cairn_bytes file,
                                                   const struct function_sink *sink);

#endif
