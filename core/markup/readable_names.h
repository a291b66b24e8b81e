/* SPDX-License-Identifier: MIT */
/*
 * Demangled C++ names for comparison with those that programs print in their own backtraces. Blanks
 * are removed because demanglers differ in them.
 */
#ifndef CAIRN_MARKUP_READABLE_NAMES_H
#define CAIRN_MARKUP_READABLE_NAMES_H

#include "formats/itanium/itanium.h"

enum {
	READABLE_BYTES_MAX = 1 << 25, /* bytes of names per file that are demangled */
	READABLE_STEPS_MAX = 1 << 28, /* printing steps; a single name may take many */
};

/* Buffers and budget; zero-initialized. */
struct readable_names {
	struct itanium work;
	char text[ITANIUM_TEXT_MAX];
	uint64_t bytes;
	uint64_t steps;
};

/*
 * Return true if `name` may be the demangled name of a function that has parameters or is in a
 * class or namespace.
 */
bool readable_name_may_be(struct cairn_bytes name);

/* Copy a name without blanks to `names->text`. The result is empty if it is too long. */
struct cairn_bytes readable_name_squeeze(struct readable_names *names, struct cairn_bytes name);

/*
 * Demangle a symbol without blanks into `names->text`. The result is empty if the symbol is not
 * mangled or the budget is used up.
 */
struct cairn_bytes readable_name_make(struct readable_names *names, struct cairn_bytes symbol);

#endif
