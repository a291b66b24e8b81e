/* SPDX-License-Identifier: MIT */
/*
 * Names that would keep the demangler of a debugger busy without end, to which an object passes them: their texts double with every few bytes, but
 * nothing of it is written, so that no bound on the text ends the work.  What is refused is reported
 * from the characters alone, and no name of a real program that was seen is among it.
 */
#ifndef CAIRN_SYMBOLS_NAMES_DEMANGLE_GUARD_H
#define CAIRN_SYMBOLS_NAMES_DEMANGLE_GUARD_H

#include <cairn.h>

/* May a demangler without bounds be asked for this name, "_Z..." or "_R..."? */
bool demangle_guard_passes(struct cairn_bytes name);

/*
 * How many times the name refers back to a part of itself: "S_", "S1_", "T_" and so on, each of which
 * can stand for all that comes before it.
 */
size_t demangle_guard_references(struct cairn_bytes name);

#endif
