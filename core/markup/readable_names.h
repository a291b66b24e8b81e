/* SPDX-License-Identifier: MIT */
/*
 * Functions of C++ by the readable names that programs put into their own backtraces. Blanks do not count, because
 * demanglers differ in them.
 */
#ifndef CAIRN_MARKUP_READABLE_NAMES_H
#define CAIRN_MARKUP_READABLE_NAMES_H

#include "formats/itanium/itanium.h"

enum {
	READABLE_BYTES_MAX = 1 << 25, /* of the names of a file that are made readable */
	READABLE_STEPS_MAX = 1 << 28, /* of printing them, of which one name may take many */
};

/* The memory that the work takes; it begins with zeros. */
struct readable_names {
	struct itanium work;
	char text[ITANIUM_TEXT_MAX];
	uint64_t bytes; /* of names so far */
	uint64_t steps; /* that their printing took */
};

/* May it be the readable name of a function with arguments, or of one in a class or namespace? */
bool readable_name_may_be(struct cairn_bytes name);

/* A name as it is, without blanks, in `names->text`; empty if it is too long. */
struct cairn_bytes readable_name_squeeze(struct readable_names *names, struct cairn_bytes name);

/* The same of the readable name of a symbol; empty if it has none, or if those before it took too much. */
struct cairn_bytes readable_name_make(struct readable_names *names, struct cairn_bytes symbol);

#endif
