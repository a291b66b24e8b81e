/* SPDX-License-Identifier: MIT */
/*
 * Makes functions from symbols that DWARF does not describe, and determines the extent of symbols
 * without a size. Does not handle lines, or names of functions that DWARF describes (see
 * debuginfo/elf/aliases.h).
 *
 *	struct code_symbols symbols = { .aliases = &aliases, .known = ranges, .known_count = n };
 *	status = code_symbols_emit(&symbols, elf_file, &sink);
 *
 * A symbol with a size becomes a function unless a known function begins there and covers it. A
 * symbol without a size extends to the next symbol, the next known function, or the end of its
 * section, whichever comes first, so that it does not swallow gaps or the PLT. It is skipped if
 * something else begins there; an untyped one is also skipped inside anything with a size, because
 * then it is a label.
 */
#ifndef CAIRN_DEBUGINFO_PROGRAM_CODE_SYMBOLS_H
#define CAIRN_DEBUGINFO_PROGRAM_CODE_SYMBOLS_H

#include "debuginfo/elf/aliases.h"
#include "model/function.h"

struct code_symbols {
	const struct aliases *aliases; /* sorted */
	struct cairn_range *known;     /* functions found in DWARF; sorted by code_symbols_emit() */
	size_t known_count;
	bool folded; /* also emit symbols with exactly the range of a known function */

	/* numbers of skipped symbols */
	uint64_t known_already, labels, outside;
};

/* Pass the functions, without rows, to `sink`. Returns CAIRN_OK, NO_MEMORY or the sink's status. */
CAIRN_MUST_USE enum cairn_status code_symbols_emit(struct code_symbols *symbols,
                                                   struct cairn_bytes file,
                                                   const struct function_sink *sink);

#endif
