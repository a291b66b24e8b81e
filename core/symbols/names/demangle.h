/* SPDX-License-Identifier: MIT */
/*
 * Demangles C++ and Rust names completely, including template arguments. We use our own demanglers
 * (formats/itanium, formats/rust), so the result does not depend on installed libraries.
 *
 * A symbol name of 267 bytes can stand for a string of 738 MB, and one of 150 bytes can take years
 * to print nothing. Therefore the sizes of names and strings and the work are limited. A name that
 * exceeds a limit is not demangled at all; it is never truncated.
 */
#ifndef CAIRN_SYMBOLS_NAMES_DEMANGLE_H
#define CAIRN_SYMBOLS_NAMES_DEMANGLE_H

#include "base/allowance.h"

#include <cairn.h>

enum {
	DEMANGLE_NAME_MAX = 4096, /* bytes of a mangled name */
	/*
	 * Bytes of a demangled name. Three times the longest of 91,000 names in libLLVM and 43,000
	 * in ceph-mds.
	 */
	DEMANGLE_TEXT_MAX = CAIRN_DEMANGLE_MAX,
};

enum demangle_style {
	DEMANGLE_GNU, /* "f() [clone .cold]", like libstdc++ and binutils */
	DEMANGLE_LLVM,
};

/*
 * Demangle a name into `out`, which holds `room` bytes. Returns the size, without a terminating
 * NUL, or 0 if the name is not mangled, exceeds a limit or does not fit. Mangled names begin with
 * "_Z", "___Z" (blocks), "_R", or a dot before one of these, which is preserved.
 */
size_t demangle_name(struct cairn_bytes name, enum demangle_style style, char *out, size_t room);

/*
 * Like demangle_name(), for strings that need not be ELF symbols. Also accepts one
 * additional underscore.
 */
size_t demangle_word(struct cairn_bytes word, enum demangle_style style, char *out, size_t room);

/*
 * Like the two functions above, but the steps are drawn from `allowance`. Return 0 once the
 * allowance is used up.
 */
size_t demangle_name_within(struct cairn_bytes name, enum demangle_style style, char *out,
                            size_t room, struct allowance *allowance);
size_t demangle_word_within(struct cairn_bytes word, enum demangle_style style, char *out,
                            size_t room, struct allowance *allowance);

/*
 * Return the size of the demangled form of "_Z..." or "_R...", 0 if the name cannot be demangled,
 * or SIZE_MAX if it exceeds a limit or would keep a debugger's demangler busy, so that the name
 * should not be passed to one.
 */
size_t demangled_size(struct cairn_bytes name);

/*
 * Return true if the name, "_Z..." or "_R...", can be passed to a demangler without limits. A
 * debugger's demangler would be busy without end with some names: their expansion doubles with
 * every few bytes, but is not written out, so no limit on the output stops the work. The decision
 * looks at characters only; no real name is known to be rejected.
 */
bool demangle_guard_passes(struct cairn_bytes name);

/*
 * Count the back references ("S_", "S1_", "T_" ...) in a name. Each can stand for everything
 * before it.
 */
size_t demangle_guard_references(struct cairn_bytes name);

#endif
