/* SPDX-License-Identifier: MIT */
/*
 * The symbols that name code, and which of them names a piece of code best when several begin
 * where it begins.  It does not decide what a symbol without a size covers, nor whether a symbol
 * without a type is worth an entry of its own.
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
	struct cairn_bytes name; /* without a version (`@...`); borrowed */
	uint8_t binding, type;   /* STB_... and STT_... of ELF */
};

struct aliases {
	struct alias *entry; /* ascending by va; at one va the better name is first */
	size_t count, room;
};

/*
 * All symbols of a table of the file that name code of its own: defined in a section with
 * instructions (or of type function), with a name.  Functions of ARM and MIPS lose bit 0, those of
 * `.opd` are where the descriptor points.  The names are borrowed from `file`.
 */
enum aliases_table {
	ALIASES_SYMTAB, /* .symtab */
	ALIASES_DYNSYM, /* .dynsym */
};

/*
 * NOT_FOUND: there is no such table.  MALFORMED: names share more text than linkers do; the symbols
 * before that are there.  A fault's offset is one in the file.
 */
CAIRN_MUST_USE enum cairn_status aliases_read(struct aliases *aliases, struct cairn_bytes file,
                                              enum aliases_table table, struct cairn_fault *fault);

/* One more; false when memory is short. */
bool aliases_add(struct aliases *aliases, struct alias alias);

/* After the last one, before the first question. */
void aliases_sort(struct aliases *aliases);
void aliases_finish(struct aliases *aliases);

/* The first entry at or after `va`: aliases->entry + result, up to aliases->count. */
size_t aliases_at(const struct aliases *aliases, uint64_t va);

/*
 * The best name of what begins at `va`; NULL when no symbol does.  In this order: global, weak and
 * unique before local; with a size before without; one of the `count` names that DWARF has for it;
 * fewer leading underscores; shorter; by bytes.
 */
const struct alias *aliases_best(const struct aliases *aliases, uint64_t va,
                                 const struct cairn_bytes *named, size_t count);

/* The same order between two names that both begin at `va`: below 0 when `a` is the better. */
int aliases_compare(const struct aliases *aliases, uint64_t va, struct cairn_bytes a,
                    struct cairn_bytes b);

#endif
