/* SPDX-License-Identifier: MIT */
/*
 * Collects the symbols that name code, and finds the best name of several symbols at one address.
 * Does not decide what a symbol without a size covers, or whether an untyped symbol deserves an
 * entry of its own.
 *
 *	struct aliases aliases = { .entry = NULL };
 *	if (!aliases_add(&aliases, (struct alias){ .va = va, .name = name }))
 *		... memory is short
 *	aliases_sort(&aliases);
 *	const struct alias *best = aliases_best(&aliases, va, names, 2);
 */
#ifndef CAIRN_DEBUGINFO_ELF_ALIASES_H
#define CAIRN_DEBUGINFO_ELF_ALIASES_H

#include <cairn.h>

struct alias {
	uint64_t va, size;
	struct cairn_bytes name; /* borrowed, without a version (`@...`) */
	uint8_t binding, type;
};

struct aliases {
	struct alias *entry; /* sorted by va, then by preference */
	size_t count, room;
};

enum aliases_table {
	ALIASES_SYMTAB,
	ALIASES_DYNSYM,
};

/*
 * Add all symbols of a table that name code: those with a name that are functions or are defined in
 * a section with instructions. Bit 0 of ARM and MIPS functions is cleared, and function descriptors
 * in `.opd` are followed. Names are borrowed from `file`. Returns NOT_FOUND if there is no such
 * table. Returns MALFORMED if names overlap more than linkers make them; the symbols before that
 * are added. Fault offsets count from the start of the file.
 */
CAIRN_MUST_USE enum cairn_status aliases_read(struct aliases *aliases, struct cairn_bytes file,
                                              enum aliases_table table, struct cairn_fault *fault);

/* Add a symbol. Returns false if memory is short. */
bool aliases_add(struct aliases *aliases, struct alias alias);

/* Sort the symbols. Call after the last addition and before the first query. */
void aliases_sort(struct aliases *aliases);
void aliases_finish(struct aliases *aliases);

/* Return the index of the first entry at or after `va`, or aliases->count. */
size_t aliases_at(const struct aliases *aliases, uint64_t va);

/*
 * Return the best symbol at `va`, or NULL. Preferred in this order: global, weak and unique over
 * local; with a size; one of the `count` names that DWARF has for the function; fewer leading
 * underscores; shorter; bytewise smaller.
 */
const struct alias *aliases_best(const struct aliases *aliases, uint64_t va,
                                 const struct cairn_bytes *named, size_t count);

/* Compare two names at `va` by the same order. Negative if `a` is better. */
int aliases_compare(const struct aliases *aliases, uint64_t va, struct cairn_bytes a,
                    struct cairn_bytes b);

#endif
