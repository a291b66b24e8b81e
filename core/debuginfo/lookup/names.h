/* SPDX-License-Identifier: MIT */
/*
 * Functions, files, lines and inlined calls from DWARF alone, with names and paths as markup wants them, and symbols of
 * any kind; whoever wants the best answer of both asks address_functions.h.  Nothing is read before it is asked for: the list of units at the first question,
 * a unit's functions at the first question about its code.
 *
 * Built without libdw, debuginfo_names_open() always declines.
 */
#ifndef CAIRN_DEBUGINFO_LOOKUP_NAMES_H
#define CAIRN_DEBUGINFO_LOOKUP_NAMES_H

#include <cairn.h>

enum { DEBUGINFO_LOCATIONS = 64 }; /* calls inlined into each other; deeper ones are left out */

struct debuginfo_names;

/*
 * `file` is a whole ELF file, borrowed until debuginfo_names_close, as are the texts of all
 * locations.  NULL when there is nothing to ask; *why gives the reason then, in a phrase.
 */
struct debuginfo_names *debuginfo_names_open(struct cairn_bytes file, const char **why);
void debuginfo_names_close(struct debuginfo_names *names);

/* Is there DWARF, or a symbol table at most? */
bool debuginfo_names_have_dwarf(const struct debuginfo_names *names);

/*
 * Why not all of the DWARF was read: what it shares takes more work or memory than the budget of the
 * file allows (debuginfo/budget/budget.h).  NULL: nothing was too much so far.
 */
const char *debuginfo_names_cut(const struct debuginfo_names *names);

/*
 * Give back what was read so far, but for sections that had to be unpacked; it is read again when it
 * is asked for.  Earlier locations are no longer good.
 */
void debuginfo_names_release(struct debuginfo_names *names);

/* How many units were read since then: no other question takes memory worth mentioning. */
size_t debuginfo_names_units_read(const struct debuginfo_names *names);

/* How much of a file's path is wanted. */
enum debuginfo_paths {
	DEBUGINFO_PATH_WHOLE,
	DEBUGINFO_PATH_RELATIVE, /* to the folder in which it was compiled */
	DEBUGINFO_PATH_NAME,
};

/*
 * The locations of `va` by DWARF alone, innermost first, and how many; 0 when nothing is known.  A function that it does
 * not name stays without a name, and code of a unit that is in no function has a location with file and line.  `short_names` are those of the
 * source, without namespaces.
 */
size_t debuginfo_names_chain(struct debuginfo_names *names, uint64_t va, enum debuginfo_paths paths,
                             bool short_names,
                             struct cairn_location locations[DEBUGINFO_LOCATIONS]);

/*
 * The function, variable or other label of the symbol table at or below `va`, with the source file
 * of a local one; of those at one address the largest.  False when there is none.
 */
bool debuginfo_names_symbol(struct debuginfo_names *names, uint64_t va,
                            struct cairn_location *location);

#endif
