/* SPDX-License-Identifier: MIT */
/*
 * Rejects names that would keep a debugger's demangler busy without end. Their expansion doubles
 * with every few bytes, but is not written out, so no limit on the output stops the work. The
 * decision looks at characters only; no real name is known to be rejected.
 */
#ifndef CAIRN_SYMBOLS_NAMES_DEMANGLE_GUARD_H
#define CAIRN_SYMBOLS_NAMES_DEMANGLE_GUARD_H

#include <cairn.h>

/* Return true if the name, "_Z..." or "_R...", can be passed to a demangler without limits. */
bool demangle_guard_passes(struct cairn_bytes name);

/*
 * Count the back references ("S_", "S1_", "T_" ...) in a name. Each can stand for everything
 * before it.
 */
size_t demangle_guard_references(struct cairn_bytes name);

#endif
