/* SPDX-License-Identifier: MIT */
/*
 * Creates functions from symbols that DWARF does not describe, and determines the size of symbols
 * without one. Choosing names for functions that DWARF describes is left to
 * debuginfo/symbol_table.h.
 *
 *	struct code_symbols symbols = { .aliases = &aliases, .known = ranges, .known_count = n };
 *	status = code_symbols_emit(&symbols, elf_file, &sink);
 *
 * A symbol with a size becomes a function unless a function from DWARF begins at its address and
 * covers it. A symbol without a size extends to the next symbol, the next function from DWARF, or
 * the end of its section, whichever comes first, so that it does not swallow gaps or the PLT. It is
 * skipped if a function or a symbol with a size begins at its address. An untyped symbol is also
 * skipped inside a function or a symbol with a size, because it is a label.
 */
#ifndef CAIRN_DEBUGINFO_CODE_SYMBOLS_H
#define CAIRN_DEBUGINFO_CODE_SYMBOLS_H

#include "base/function.h"
#include "debuginfo/symbol_table.h"

#include <cairn.h>

struct code_symbols {
	const struct aliases *aliases;
	struct cairn_range *known; /* functions from DWARF; sorted by code_symbols_emit() */
	size_t known_count;
	bool folded; /* also emit symbols with the same range as a function from DWARF */

	/*
	 * numbers of symbols skipped because DWARF describes them, because they are labels, or
	 * because they are outside all sections
	 */
	uint64_t known_already, labels, outside;
};

/*
 * Pass the functions, without rows, to `sink`. Returns CAIRN_OK, NO_MEMORY or the status of the
 * sink.
 */
CAIRN_MUST_USE enum cairn_status code_symbols_emit(struct code_symbols *symbols,
                                                   struct cairn_bytes file,
                                                   const struct function_sink *sink);

/*
 * Records the functions passed to the sink, for consumers that need only the first of several equal
 * functions. Each C++ unit describes the functions of the headers it uses; the linker keeps the
 * code of one copy, and the DIEs of all units describe that code. In large programs, half of all
 * functions are such copies, with all their inlined calls.
 *
 * The readers of a program share the table and read units in any order. A function is considered a
 * copy only if the recorded function has rows and precedes it: earlier in the same unit, or in a
 * unit with a lower number. All writers then put the recorded function first, no matter which of
 * the two was read first.
 */

/* A function with one range. The name is borrowed. */
struct recorded_function {
	struct cairn_range range;
	struct cairn_bytes name;
	uint64_t lost; /* number of inlined calls dropped for lack of an address */
	size_t unit;
	bool has_rows;
};

enum {
	/* maximum memory per recorded function in the table */
	GIVEN_FUNCTION_COST = 2 * sizeof(struct recorded_function)
};

struct recorded_functions;

struct recorded_functions *recorded_functions_new(size_t threads);
void recorded_functions_free(struct recorded_functions *given);

/*
 * Return true if the table contains a function with this range and name that precedes the current
 * function, which is in `unit`.
 */
bool recorded_functions_has(struct recorded_functions *given, struct cairn_range range,
                            struct cairn_bytes name, size_t unit);

bool recorded_functions_add(struct recorded_functions *given,
                            const struct recorded_function *function);

/*
 * Return the number of inlined calls dropped from all recorded functions. Calls dropped from copies
 * of these functions are not counted. Call this after all units have been read.
 */
uint64_t recorded_functions_lost(const struct recorded_functions *given);

#endif
