/* SPDX-License-Identifier: MIT */
/*
 * Demangles C++ and Rust names completely, including template arguments, and Swift names to their
 * short form. We use our own demanglers (formats/itanium, formats/rust, formats/swift), so the
 * result does not depend on installed libraries.
 *
 * A symbol name of 267 bytes can stand for a string of 738 MB, and a name of 150 bytes can take
 * years to expand to nothing. Therefore we limit the sizes of names and strings, and the number of
 * steps. A name that exceeds a limit is not demangled at all; it is never truncated.
 */
#ifndef CAIRN_SYMBOLS_DEMANGLE_H
#define CAIRN_SYMBOLS_DEMANGLE_H

#include "base/allowance.h"

#include <cairn.h>

enum {
	DEMANGLE_NAME_MAX = 4096,
	/*
	 * Maximum size of a demangled name: three times the longest of 91,000 names in libLLVM and
	 * 43,000 in ceph-mds.
	 */
	DEMANGLE_TEXT_MAX = CAIRN_DEMANGLE_MAX,
};

enum demangle_style {
	DEMANGLE_GNU, /* "f() [clone .cold]", as in libstdc++ and binutils */
	DEMANGLE_LLVM,
};

/*
 * Demangle a name into `out` with a capacity of `capacity` bytes. Returns the size, without a
 * terminating NUL, or 0 if the name is not mangled, exceeds a limit or does not fit. Mangled names
 * begin with "_Z", "___Z" (blocks), "_R", "$s" or another prefix of Swift, or a dot before one of
 * these, which is preserved.
 */
size_t demangle_name(struct cairn_bytes name, enum demangle_style style, char *out,
                     size_t capacity);

/*
 * Demangle like demangle_name(), but for strings that need not be ELF symbols. Also accepts one
 * additional leading underscore.
 */
size_t demangle_word(struct cairn_bytes word, enum demangle_style style, char *out,
                     size_t capacity);

/*
 * Demangle like the two functions above, but deduct the steps from `allowance`. Return 0 once the
 * allowance is exhausted.
 */
size_t demangle_name_within(struct cairn_bytes name, enum demangle_style style, char *out,
                            size_t capacity, struct allowance *allowance);
size_t demangle_word_within(struct cairn_bytes word, enum demangle_style style, char *out,
                            size_t capacity, struct allowance *allowance);

/*
 * Return the size of the demangled form of "_Z..." or "_R...", or 0 if the name cannot be
 * demangled. Returns SIZE_MAX if the name exceeds a limit, or if demangling would take a debugger
 * so long that the debugger should not be given the name.
 */
size_t demangled_size(struct cairn_bytes name);

/*
 * Return true if a demangler without limits can safely be given the name, "_Z..." or "_R...". Some
 * names keep such a demangler busy practically forever: their expansion doubles with every few
 * bytes but is never printed, so limiting the output does not stop the work. The check scans the
 * characters and does not demangle; no real name is known to be rejected.
 */
bool demangle_guard_passes(struct cairn_bytes name);

/*
 * Count the back references ("S_", "S1_", "T_" ...) in a name. Each can stand for the whole name
 * before it.
 */
size_t demangle_guard_references(struct cairn_bytes name);

#endif
