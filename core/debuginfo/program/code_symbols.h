/* SPDX-License-Identifier: MIT */
/*
 * Makes functions from symbols that DWARF does not describe, and determines the extent of symbols
 * without a size. Does not handle lines, or names of functions that DWARF describes (see
 * debuginfo/elf/symbol_table.h).
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

#include "debuginfo/elf/symbol_table.h"
#include "model/function.h"

#include <cairn.h>

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

/*
 * Records functions that have been passed on, for consumers that need only the first of several
 * equal functions. Each C++ unit describes the functions of the headers it uses; the linker keeps
 * the code of one copy, and the entries of all units describe that code. In large programs half of
 * all functions are such copies, with all their inlined calls.
 *
 * The readers of a program share the table and read units in any order. A function is considered
 * a copy only if the recorded function has rows and precedes it: earlier in the same unit, or in
 * a unit with a lower number. The recorded function then comes first in the order of all writers,
 * no matter which of the two was read first.
 */

/* A function with one range. The name is borrowed. */
struct recorded_function {
	struct cairn_range range;
	struct cairn_bytes name;
	uint64_t lost; /* number of inlined calls dropped because they have no address */
	size_t unit;
	bool has_rows;
};

enum {
	/* maximum size of an element in the table */
	GIVEN_FUNCTION_COST = 2 * sizeof(struct recorded_function)
};

struct recorded_functions;

/* Create a table for this number of concurrent threads. Returns NULL if memory is short. */
struct recorded_functions *given_functions_new(size_t threads);
void given_functions_free(struct recorded_functions *given);

/*
 * Return true if a function with this range and name was given that precedes the current one, which
 * is in `unit`.
 */
bool given_functions_has(struct recorded_functions *given, struct cairn_range range,
                         struct cairn_bytes name, size_t unit);

bool given_functions_add(struct recorded_functions *given,
                         const struct recorded_function *function);

/*
 * Return the total of `lost` in all recorded functions, without their copies. Call after all units
 * have been read.
 */
uint64_t given_functions_lost(const struct recorded_functions *given);

#endif
